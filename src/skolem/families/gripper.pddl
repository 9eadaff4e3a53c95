; A robot with grippers carries coloured balls between connected rooms.
(define (domain gripper)
  (:requirements :strips)
  (:predicates
    (room ?x) (ball ?x) (gripper ?x) (connected ?x ?y)
    (at-robby ?x) (at ?x ?y) (free ?x) (carry ?x ?y)
    (red ?x) (blue ?x) (green ?x) (yellow ?x) (orange ?x) (purple ?x))

  (:action move
    :parameters (?from ?to)
    :precondition (and (room ?from) (room ?to) (connected ?from ?to) (at-robby ?from))
    :effect (and (at-robby ?to) (not (at-robby ?from))))

  (:action pick
    :parameters (?ball ?room ?gripper)
    :precondition (and (ball ?ball) (room ?room) (gripper ?gripper)
                       (at ?ball ?room) (at-robby ?room) (free ?gripper))
    :effect (and (carry ?ball ?gripper) (not (at ?ball ?room)) (not (free ?gripper))))

  (:action drop
    :parameters (?ball ?room ?gripper)
    :precondition (and (ball ?ball) (room ?room) (gripper ?gripper)
                       (carry ?ball ?gripper) (at-robby ?room))
    :effect (and (at ?ball ?room) (free ?gripper) (not (carry ?ball ?gripper)))))
