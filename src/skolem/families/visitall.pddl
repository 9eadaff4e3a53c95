; A robot visits coloured cells of a grid.
(define (domain visitall)
  (:requirements :strips)
  (:predicates
    (connected ?x ?y) (at-robot ?x) (visited ?x)
    (red ?x) (blue ?x) (green ?x) (yellow ?x) (orange ?x) (purple ?x))

  (:action move
    :parameters (?from ?to)
    :precondition (and (connected ?from ?to) (at-robot ?from))
    :effect (and (at-robot ?to) (visited ?to) (not (at-robot ?from)))))
