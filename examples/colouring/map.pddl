; Three colours for a wheel with a hub and four rim vertices: the rim alternates, the hub takes the third colour.
; The goal is true at once: the plan is empty and costs 0.
(define (problem map)
  (:domain colouring)
  (:objects hub north east south west red green blue)
  (:init
    (color hub red) (color hub green) (color hub blue)
    (color north red) (color north green) (color north blue)
    (color east red) (color east green) (color east blue)
    (color south red) (color south green)
    (color west green) (color west blue)
    (neq red green) (neq green red) (neq red blue) (neq blue red) (neq green blue) (neq blue green))
  (:goal (exists (?x1 ?x2 ?x3 ?x4 ?x5)
    (and
      (color hub ?x1) (color north ?x2) (color east ?x3) (color south ?x4) (color west ?x5)
      (neq ?x1 ?x2) (neq ?x1 ?x3) (neq ?x1 ?x4) (neq ?x1 ?x5)
      (neq ?x2 ?x3) (neq ?x3 ?x4) (neq ?x4 ?x5) (neq ?x5 ?x2)))))
