; A lift takes passengers from where they wait to where they want to go; at a stop everybody concerned gets in or out.
(define (domain miconic)
  (:requirements :adl :typing)
  (:types passenger floor - object
          adult child - passenger)
  (:predicates
    (origin ?p - passenger ?f - floor) (destin ?p - passenger ?f - floor) (above ?low ?high - floor)
    (boarded ?p - passenger) (served ?p - passenger) (lift-at ?f - floor)
    (office ?f - floor) (garden ?f - floor) (cafe ?f - floor))

  (:action up
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?from ?to))
    :effect (and (lift-at ?to) (not (lift-at ?from))))

  (:action down
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?to ?from))
    :effect (and (lift-at ?to) (not (lift-at ?from))))

  (:action stop
    :parameters (?f - floor)
    :precondition (lift-at ?f)
    :effect (and
      (forall (?p - passenger)
        (when (and (boarded ?p) (destin ?p ?f)) (and (served ?p) (not (boarded ?p)))))
      (forall (?p - passenger)
        (when (and (origin ?p ?f) (not (served ?p))) (boarded ?p))))))
