; Robots paint the tiles above and below them, and cannot step on what is painted.
(define (domain floortile)
  (:requirements :strips :typing :action-costs)
  (:types robot tile colour)
  (:predicates
    (robot-at ?r - robot ?t - tile) (clear ?t - tile) (painted ?t - tile ?c - colour)
    (robot-has ?r - robot ?c - colour) (available-colour ?c - colour)
    (up ?above ?below - tile) (right ?right ?left - tile)
    (marble ?t - tile) (oak ?t - tile) (slate ?t - tile)
    (warm ?c - colour) (cold ?c - colour))
  (:functions (total-cost) - number)

  (:action change-colour
    :parameters (?r - robot ?old ?new - colour)
    :precondition (and (robot-has ?r ?old) (available-colour ?new))
    :effect (and (robot-has ?r ?new) (not (robot-has ?r ?old)) (increase (total-cost) 5)))

  (:action paint-up
    :parameters (?r - robot ?above ?here - tile ?c - colour)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?here) (up ?above ?here) (clear ?above))
    :effect (and (painted ?above ?c) (not (clear ?above)) (increase (total-cost) 2)))

  (:action paint-down
    :parameters (?r - robot ?below ?here - tile ?c - colour)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?here) (up ?here ?below) (clear ?below))
    :effect (and (painted ?below ?c) (not (clear ?below)) (increase (total-cost) 2)))

  (:action move-up
    :parameters (?r - robot ?from ?to - tile)
    :precondition (and (robot-at ?r ?from) (up ?to ?from) (clear ?to))
    :effect (and (robot-at ?r ?to) (clear ?from) (not (robot-at ?r ?from)) (not (clear ?to))
                 (increase (total-cost) 3)))

  (:action move-down
    :parameters (?r - robot ?from ?to - tile)
    :precondition (and (robot-at ?r ?from) (up ?from ?to) (clear ?to))
    :effect (and (robot-at ?r ?to) (clear ?from) (not (robot-at ?r ?from)) (not (clear ?to))
                 (increase (total-cost) 1)))

  (:action move-right
    :parameters (?r - robot ?from ?to - tile)
    :precondition (and (robot-at ?r ?from) (right ?to ?from) (clear ?to))
    :effect (and (robot-at ?r ?to) (clear ?from) (not (robot-at ?r ?from)) (not (clear ?to))
                 (increase (total-cost) 1)))

  (:action move-left
    :parameters (?r - robot ?from ?to - tile)
    :precondition (and (robot-at ?r ?from) (right ?from ?to) (clear ?to))
    :effect (and (robot-at ?r ?to) (clear ?from) (not (robot-at ?r ?from)) (not (clear ?to))
                 (increase (total-cost) 1))))
