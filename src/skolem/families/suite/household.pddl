; A robot with one hand in a home: rooms, places in them that hold things, some of them with doors.
; What an object is called (item-kind, receptacle-kind) only goals read; what can be done with it is a predicate.
(define (domain household)
  (:requirements :adl :typing)
  (:types
    spot item kind - object
    room receptacle - spot)
  (:predicates
    (path ?a ?b - spot)
    (item-kind ?i - item ?k - kind)
    (receptacle-kind ?r - receptacle ?k - kind)
    (openable ?r - receptacle)
    (heater ?r - receptacle)
    (cooler ?r - receptacle)
    (washer ?r - receptacle)
    (worktop ?r - receptacle)
    (portable ?i - item)
    (small ?i - item)
    (vessel ?i - item)
    (blade ?i - item)
    (light ?i - item)
    (heatable ?i - item)
    (coolable ?i - item)
    (washable ?i - item)
    (sliceable ?i - item)
    (robot-at ?s - spot)
    (open ?r - receptacle)
    (in ?i - item ?r - receptacle)
    (within ?i ?v - item)
    (held ?i - item)
    (hand-empty)
    (hot ?i - item)
    (cold ?i - item)
    (clean ?i - item)
    (sliced ?i - item)
    (lit ?i - item))

  (:action walk
    :parameters (?a ?b - spot)
    :precondition (and (robot-at ?a) (path ?a ?b))
    :effect (and (robot-at ?b) (not (robot-at ?a))))
  (:action open-door
    :parameters (?r - receptacle)
    :precondition (and (robot-at ?r) (openable ?r) (not (open ?r)))
    :effect (open ?r))
  (:action close-door
    :parameters (?r - receptacle)
    :precondition (and (robot-at ?r) (open ?r))
    :effect (not (open ?r)))
  (:action take
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (in ?i ?r) (portable ?i) (hand-empty) (or (not (openable ?r)) (open ?r)))
    :effect (and (held ?i) (not (hand-empty)) (not (in ?i ?r))))
  (:action put
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (held ?i) (or (not (openable ?r)) (open ?r)))
    :effect (and (in ?i ?r) (hand-empty) (not (held ?i))))
  ; Vessels are filled with small things and emptied on a worktop, and carried with what is in them.
  (:action fill
    :parameters (?i ?v - item ?r - receptacle)
    :precondition (and (robot-at ?r) (worktop ?r) (in ?v ?r) (vessel ?v) (held ?i) (small ?i))
    :effect (and (within ?i ?v) (hand-empty) (not (held ?i))))
  (:action empty
    :parameters (?i ?v - item ?r - receptacle)
    :precondition (and (robot-at ?r) (worktop ?r) (in ?v ?r) (within ?i ?v) (hand-empty))
    :effect (and (held ?i) (not (hand-empty)) (not (within ?i ?v))))
  (:action heat
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (heater ?r) (held ?i) (heatable ?i))
    :effect (and (hot ?i) (not (cold ?i))))
  (:action cool
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (cooler ?r) (held ?i) (coolable ?i))
    :effect (and (cold ?i) (not (hot ?i))))
  (:action wash
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (washer ?r) (held ?i) (washable ?i))
    :effect (clean ?i))
  (:action slice
    :parameters (?i ?k - item ?r - receptacle)
    :precondition (and (robot-at ?r) (worktop ?r) (in ?i ?r) (sliceable ?i) (held ?k) (blade ?k))
    :effect (sliced ?i))
  (:action switch-on
    :parameters (?i - item ?r - receptacle)
    :precondition (and (robot-at ?r) (in ?i ?r) (light ?i))
    :effect (lit ?i)))
