; A ferry that holds one car brings cars of several colours to ports.
(define (domain ferry)
  (:requirements :strips)
  (:predicates
    (car ?x) (port ?x)
    (at-ferry ?l) (at ?c ?l) (empty-ferry) (on ?c)
    (red ?c) (blue ?c) (white ?c)
    (sandy ?l) (rocky ?l))

  (:action sail
    :parameters (?from ?to)
    :precondition (and (port ?from) (port ?to) (at-ferry ?from))
    :effect (and (at-ferry ?to) (not (at-ferry ?from))))

  (:action board
    :parameters (?car ?port)
    :precondition (and (car ?car) (port ?port) (at ?car ?port) (at-ferry ?port) (empty-ferry))
    :effect (and (on ?car) (not (at ?car ?port)) (not (empty-ferry))))

  (:action debark
    :parameters (?car ?port)
    :precondition (and (car ?car) (port ?port) (on ?car) (at-ferry ?port))
    :effect (and (at ?car ?port) (empty-ferry) (not (on ?car)))))
