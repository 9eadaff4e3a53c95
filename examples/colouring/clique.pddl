; Three colours for four vertices that are all joined: no colouring exists, the goal is unsolvable.
(define (problem clique)
  (:domain colouring)
  (:objects north east south west red green blue)
  (:init
    (color north red) (color north green) (color north blue)
    (color east red) (color east green) (color east blue)
    (color south red) (color south green) (color south blue)
    (color west red) (color west green) (color west blue)
    (neq red green) (neq green red) (neq red blue) (neq blue red) (neq green blue) (neq blue green))
  (:goal (exists (?x1 ?x2 ?x3 ?x4)
    (and
      (color north ?x1) (color east ?x2) (color south ?x3) (color west ?x4)
      (neq ?x1 ?x2) (neq ?x1 ?x3) (neq ?x1 ?x4) (neq ?x2 ?x3) (neq ?x2 ?x4) (neq ?x3 ?x4)))))
