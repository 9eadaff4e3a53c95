; "A clean mug is on the table." The clean one is two places away, the others must be washed.
(define (problem mugs)
  (:domain kitchen)
  (:objects
    table counter shelf sink - place
    mug1 mug2 mug3 - mug
    plate1 - plate)
  (:init
    (next-to table counter) (next-to counter table)
    (next-to counter shelf) (next-to shelf counter)
    (next-to counter sink) (next-to sink counter)
    (has-water sink)
    (robot-at table) (hand-free)
    (on mug1 shelf) (clean mug1)
    (on mug2 sink)
    (on mug3 counter)
    (on plate1 table) (clean plate1))
  (:goal (exists (?m - mug) (and (clean ?m) (on ?m table)))))
