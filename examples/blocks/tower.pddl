; Five described blocks in one tower: blue on red on blue on red on red.
;
;            E     F
;            C     G
;     [A]    D     H        red: A B D F    blue: C E G H
;    held   ---    B
;                 ---
;
; The cheapest plan has 9 steps. It builds the tower on F, which needs no digging,
; and its first step puts A, already in the arm, on F. Any other two blocks for x4 and x5 cost 11 or more.
(define (problem tower)
  (:domain blocks)
  (:objects a b c d e f g h)
  (:init
    (holding a)
    (ontable b) (on h b) (on g h) (on f g) (clear f)
    (ontable d) (on c d) (on e c) (clear e)
    (red a) (red b) (red d) (red f)
    (blue c) (blue e) (blue g) (blue h))
  (:goal (exists (?x1 ?x2 ?x3 ?x4 ?x5)
    (and
      (blue ?x1) (red ?x2) (blue ?x3) (red ?x4) (red ?x5)
      (on ?x1 ?x2) (on ?x2 ?x3) (on ?x3 ?x4) (on ?x4 ?x5)))))
