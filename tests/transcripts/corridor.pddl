; Four cells in a row, small enough to be labelled at once.
(define (problem corridor)
  (:domain visitall)
  (:objects a b c d)
  (:init (at-robot a) (visited a) (red a) (blue b) (red c) (blue d)
    (connected a b) (connected b a) (connected b c) (connected c b) (connected c d) (connected d c))
  (:goal (exists (?x ?y) (and (red ?x) (visited ?x) (blue ?y) (visited ?y)))))
