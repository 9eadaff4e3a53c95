; Graph colouring: no actions, so a goal is either true at once or cannot be reached.
(define (domain colouring)
  (:requirements :strips)
  (:predicates
    (color ?vertex ?x)  ; x is a possible colour of the vertex
    (neq ?x ?y)))       ; x and y are distinct colours
