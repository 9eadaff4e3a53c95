; A robot with one hand fetches and washes mugs.
(define (domain kitchen)
  (:requirements :strips :typing)
  (:types place thing - object mug plate - thing)
  (:predicates
    (robot-at ?place - place)
    (next-to ?from ?to - place)
    (on ?thing - thing ?place - place)
    (held ?thing - thing)
    (hand-free)
    (clean ?thing - thing)
    (has-water ?place - place))

  (:action go
    :parameters (?from ?to - place)
    :precondition (and (robot-at ?from) (next-to ?from ?to))
    :effect (and (robot-at ?to) (not (robot-at ?from))))

  (:action take
    :parameters (?thing - thing ?place - place)
    :precondition (and (robot-at ?place) (on ?thing ?place) (hand-free))
    :effect (and (held ?thing) (not (on ?thing ?place)) (not (hand-free))))

  (:action put
    :parameters (?thing - thing ?place - place)
    :precondition (and (robot-at ?place) (held ?thing))
    :effect (and (on ?thing ?place) (hand-free) (not (held ?thing))))

  (:action wash
    :parameters (?thing - thing ?place - place)
    :precondition (and (robot-at ?place) (held ?thing) (has-water ?place))
    :effect (clean ?thing)))
