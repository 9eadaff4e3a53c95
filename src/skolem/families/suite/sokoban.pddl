; Boxes are pushed to marked cells; where the player can walk to is derived, so that only pushes count.
(define (domain sokoban)
  (:requirements :strips :typing :derived-predicates :negative-preconditions :existential-preconditions)
  (:types cell direction box - object
          crate barrel - box)
  (:predicates
    (player-at ?c - cell) (box-at ?b - box ?c - cell) (filled ?c - cell)
    (next ?from ?to - cell ?d - direction)
    (reachable ?c - cell)
    (red ?c - cell) (green ?c - cell))

  (:derived (reachable ?c - cell)
    (or (player-at ?c)
        (exists (?b - cell ?d - direction) (and (reachable ?b) (next ?b ?c ?d) (not (filled ?c))))))

  (:action push
    :parameters (?b - box ?was ?stand ?from ?to - cell ?d - direction)
    :precondition (and (player-at ?was) (reachable ?stand) (next ?stand ?from ?d) (next ?from ?to ?d)
                       (box-at ?b ?from) (not (filled ?to)))
    :effect (and (box-at ?b ?to) (filled ?to) (player-at ?from)
                 (not (box-at ?b ?from)) (not (filled ?from)) (not (player-at ?was)))))
