; Trucks drive within cities and airplanes fly between their airports; packages ride along.
(define (domain logistics)
  (:requirements :strips)
  (:predicates
    (package ?x) (truck ?x) (airplane ?x) (location ?x) (airport ?x) (city ?x)
    (in-city ?l ?c) (at ?x ?l) (in ?p ?v)
    (fragile ?p) (frozen ?p) (bulky ?p)
    (shop ?l) (warehouse ?l))

  (:action load-truck
    :parameters (?package ?truck ?location)
    :precondition (and (package ?package) (truck ?truck) (location ?location)
                       (at ?truck ?location) (at ?package ?location))
    :effect (and (in ?package ?truck) (not (at ?package ?location))))

  (:action unload-truck
    :parameters (?package ?truck ?location)
    :precondition (and (package ?package) (truck ?truck) (location ?location)
                       (at ?truck ?location) (in ?package ?truck))
    :effect (and (at ?package ?location) (not (in ?package ?truck))))

  (:action load-airplane
    :parameters (?package ?airplane ?airport)
    :precondition (and (package ?package) (airplane ?airplane) (airport ?airport)
                       (at ?airplane ?airport) (at ?package ?airport))
    :effect (and (in ?package ?airplane) (not (at ?package ?airport))))

  (:action unload-airplane
    :parameters (?package ?airplane ?airport)
    :precondition (and (package ?package) (airplane ?airplane) (airport ?airport)
                       (at ?airplane ?airport) (in ?package ?airplane))
    :effect (and (at ?package ?airport) (not (in ?package ?airplane))))

  (:action drive-truck
    :parameters (?truck ?from ?to ?city)
    :precondition (and (truck ?truck) (location ?from) (location ?to) (city ?city)
                       (at ?truck ?from) (in-city ?from ?city) (in-city ?to ?city))
    :effect (and (at ?truck ?to) (not (at ?truck ?from))))

  (:action fly-airplane
    :parameters (?airplane ?from ?to)
    :precondition (and (airplane ?airplane) (airport ?from) (airport ?to) (at ?airplane ?from))
    :effect (and (at ?airplane ?to) (not (at ?airplane ?from)))))
