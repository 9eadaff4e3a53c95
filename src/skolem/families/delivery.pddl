; A truck that holds one package at a time delivers packages on a grid of coloured cells.
(define (domain delivery)
  (:requirements :strips)
  (:predicates
    (truck ?x) (package ?x) (cell ?x) (adjacent ?x ?y)
    (at ?x ?y) (carrying ?x ?y) (empty ?x)
    (red ?x) (blue ?x) (green ?x) (yellow ?x) (orange ?x) (purple ?x))

  (:action drive
    :parameters (?truck ?from ?to)
    :precondition (and (truck ?truck) (cell ?from) (cell ?to) (adjacent ?from ?to) (at ?truck ?from))
    :effect (and (at ?truck ?to) (not (at ?truck ?from))))

  (:action pick
    :parameters (?truck ?package ?cell)
    :precondition (and (truck ?truck) (package ?package) (cell ?cell)
                       (at ?truck ?cell) (at ?package ?cell) (empty ?truck))
    :effect (and (carrying ?truck ?package) (not (at ?package ?cell)) (not (empty ?truck))))

  (:action drop
    :parameters (?truck ?package ?cell)
    :precondition (and (truck ?truck) (package ?package) (cell ?cell)
                       (at ?truck ?cell) (carrying ?truck ?package))
    :effect (and (at ?package ?cell) (empty ?truck) (not (carrying ?truck ?package)))))
