; Vehicles of some capacity carry packages along roads; driving costs the length of the road.
(define (domain transport)
  (:requirements :strips :typing :action-costs)
  (:types location locatable capacity-number - object
          vehicle package - locatable)
  (:predicates
    (road ?a ?b - location) (at ?x - locatable ?l - location) (in ?p - package ?v - vehicle)
    (capacity ?v - vehicle ?n - capacity-number) (capacity-predecessor ?less ?more - capacity-number)
    (urgent ?p - package) (medical ?p - package) (standard ?p - package)
    (harbour ?l - location) (market ?l - location) (hospital ?l - location))
  (:functions (road-length ?a ?b - location) - number (total-cost) - number)

  (:action drive
    :parameters (?v - vehicle ?from ?to - location)
    :precondition (and (at ?v ?from) (road ?from ?to))
    :effect (and (at ?v ?to) (not (at ?v ?from)) (increase (total-cost) (road-length ?from ?to))))

  (:action pick-up
    :parameters (?v - vehicle ?l - location ?p - package ?less ?more - capacity-number)
    :precondition (and (at ?v ?l) (at ?p ?l) (capacity-predecessor ?less ?more) (capacity ?v ?more))
    :effect (and (in ?p ?v) (capacity ?v ?less) (not (at ?p ?l)) (not (capacity ?v ?more))
                 (increase (total-cost) 1)))

  (:action drop
    :parameters (?v - vehicle ?l - location ?p - package ?less ?more - capacity-number)
    :precondition (and (at ?v ?l) (in ?p ?v) (capacity-predecessor ?less ?more) (capacity ?v ?less))
    :effect (and (at ?p ?l) (capacity ?v ?more) (not (in ?p ?v)) (not (capacity ?v ?less))
                 (increase (total-cost) 1))))
