; Six described balls in three rooms, all different.
;
;    A (robot)      B             C
;    5 red          3 red         1 blue
;    7 yellow       6 yellow      2 red
;                                 4 yellow
;                                 8 green
;
; Balls 7, 5, 2 and 4 are already where x1, x4, x5 and x6 should be. Ball 1 is the only blue ball and
; ball 8 the only green one, so these two are carried: the cheapest plan has 8 steps.
(define (problem rooms)
  (:domain gripper)
  (:objects a b c left right ball1 ball2 ball3 ball4 ball5 ball6 ball7 ball8)
  (:init
    (room a) (room b) (room c)
    (connected a b) (connected b a) (connected b c) (connected c b)
    (gripper left) (gripper right) (free left) (free right)
    (ball ball1) (ball ball2) (ball ball3) (ball ball4) (ball ball5) (ball ball6) (ball ball7) (ball ball8)
    (blue ball1) (red ball2) (red ball3) (yellow ball4) (red ball5) (yellow ball6) (yellow ball7) (green ball8)
    (at-robby a)
    (at ball5 a) (at ball7 a)
    (at ball3 b) (at ball6 b)
    (at ball1 c) (at ball2 c) (at ball4 c) (at ball8 c))
  (:goal (exists (?x1 ?x2 ?x3 ?x4 ?x5 ?x6)
    (and
      (yellow ?x1) (blue ?x2) (green ?x3) (red ?x4) (red ?x5) (yellow ?x6)
      (at ?x1 a) (at ?x2 a) (at ?x3 b) (at ?x4 a) (at ?x5 c) (at ?x6 c)
      (not (= ?x1 ?x2)) (not (= ?x1 ?x3)) (not (= ?x1 ?x4)) (not (= ?x1 ?x5)) (not (= ?x1 ?x6))
      (not (= ?x2 ?x3)) (not (= ?x2 ?x4)) (not (= ?x2 ?x5)) (not (= ?x2 ?x6))
      (not (= ?x3 ?x4)) (not (= ?x3 ?x5)) (not (= ?x3 ?x6))
      (not (= ?x4 ?x5)) (not (= ?x4 ?x6))
      (not (= ?x5 ?x6))))))
