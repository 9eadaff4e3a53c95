; "Some surface outside the kitchen has a clean plate and a clean cup; some food is in a cold container;
; and two different large things lie on the shelf."
;
; The goal nests exists, reuses the name ?x in two scopes, and mixes types, a constant room and inequality.
(define (problem breakfast)
  (:domain household)
  (:objects
    dining hall - room
    counter table bench shelf - surface
    fridge cupboard - container
    plate1 plate2 - plate
    cup1 cup2 - cup
    milk bread - food
    broom ladder - tool)
  (:init
    (adjoining kitchen dining) (adjoining dining kitchen) (adjoining dining hall) (adjoining hall dining)
    (= (total-cost) 0)
    (= (distance kitchen dining) 2) (= (distance dining kitchen) 2)
    (= (distance dining hall) 3) (= (distance hall dining) 3)
    (inside sink kitchen) (inside counter kitchen) (inside fridge kitchen) (inside cupboard kitchen)
    (inside table dining) (inside bench hall) (inside shelf hall)
    (robot-in kitchen) (hand-free)
    (cold fridge) (open cupboard)
    (on plate1 table) (in plate2 cupboard) (clean plate2)
    (on cup1 counter) (on cup2 sink) (clean cup1)
    (in milk cupboard) (on bread table)
    (on ladder shelf) (on broom table)
    (large broom) (large ladder))
  (:goal
    (and
      (exists (?s - surface ?r - room)
        (and
          (inside ?s ?r) (not (= ?r kitchen))
          (exists (?x - plate ?y - cup)
            (and (on ?x ?s) (on ?y ?s) (clean ?x) (clean ?y)))))
      (exists (?x - food ?c - container) (and (in ?x ?c) (cold ?c)))
      (exists (?x ?y - thing)
        (and (on ?x shelf) (on ?y shelf) (large ?x) (large ?y) (not (= ?x ?y))))))
  (:metric minimize (total-cost)))
