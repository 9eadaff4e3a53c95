; A robot tidies a flat: walking between rooms costs their distance, handling a thing costs 1,
; opening a closed container 2 and washing a dish 3.
(define (domain household)
  (:requirements :strips :typing :action-costs :equality :existential-preconditions)
  (:types
    room thing place - object
    surface container - place
    dish food tool - thing
    plate cup - dish)
  (:constants kitchen - room sink - surface)
  (:predicates
    (adjoining ?from ?to - room)
    (inside ?place - place ?room - room)
    (robot-in ?room - room)
    (hand-free)
    (held ?thing - thing)
    (on ?thing - thing ?surface - surface)
    (in ?thing - thing ?container - container)
    (open ?container - container)
    (cold ?container - container)
    (clean ?dish - dish)
    (large ?thing - thing))
  (:functions
    (total-cost) - number
    (distance ?from ?to - room) - number)

  (:action walk
    :parameters (?from ?to - room)
    :precondition (and (robot-in ?from) (adjoining ?from ?to))
    :effect (and (robot-in ?to) (not (robot-in ?from)) (increase (total-cost) (distance ?from ?to))))

  (:action take-from-surface
    :parameters (?thing - thing ?surface - surface ?room - room)
    :precondition (and (robot-in ?room) (inside ?surface ?room) (on ?thing ?surface) (hand-free))
    :effect (and (held ?thing) (not (on ?thing ?surface)) (not (hand-free)) (increase (total-cost) 1)))

  (:action put-on-surface
    :parameters (?thing - thing ?surface - surface ?room - room)
    :precondition (and (robot-in ?room) (inside ?surface ?room) (held ?thing))
    :effect (and (on ?thing ?surface) (hand-free) (not (held ?thing)) (increase (total-cost) 1)))

  (:action open-container
    :parameters (?container - container ?room - room)
    :precondition (and (robot-in ?room) (inside ?container ?room) (hand-free))
    :effect (and (open ?container) (increase (total-cost) 2)))

  (:action take-from-container
    :parameters (?thing - thing ?container - container ?room - room)
    :precondition (and (robot-in ?room) (inside ?container ?room) (open ?container) (in ?thing ?container) (hand-free))
    :effect (and (held ?thing) (not (in ?thing ?container)) (not (hand-free)) (increase (total-cost) 1)))

  (:action put-in-container
    :parameters (?thing - thing ?container - container ?room - room)
    :precondition (and (robot-in ?room) (inside ?container ?room) (open ?container) (held ?thing))
    :effect (and (in ?thing ?container) (hand-free) (not (held ?thing)) (increase (total-cost) 1)))

  (:action wash
    :parameters (?dish - dish)
    :precondition (and (robot-in kitchen) (on ?dish sink))
    :effect (and (clean ?dish) (increase (total-cost) 3))))
