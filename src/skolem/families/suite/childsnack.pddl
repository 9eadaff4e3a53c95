; Sandwiches are made in a kitchen and brought on trays to waiting children, some of whom may not eat gluten.
(define (domain childsnack)
  (:requirements :strips :typing)
  (:types child bread content sandwich tray place class)
  (:constants kitchen - place)
  (:predicates
    (at_kitchen_bread ?b - bread) (at_kitchen_content ?c - content) (at_kitchen_sandwich ?s - sandwich)
    (no_gluten_bread ?b - bread) (no_gluten_content ?c - content) (no_gluten_sandwich ?s - sandwich)
    (ontray ?s - sandwich ?t - tray) (notexist ?s - sandwich)
    (allergic_gluten ?c - child) (not_allergic_gluten ?c - child)
    (waiting ?c - child ?p - place) (served ?c - child) (at ?t - tray ?p - place)
    (member ?c - child ?k - class))

  (:action make_sandwich_no_gluten
    :parameters (?s - sandwich ?b - bread ?c - content)
    :precondition (and (at_kitchen_bread ?b) (at_kitchen_content ?c) (no_gluten_bread ?b) (no_gluten_content ?c)
                       (notexist ?s))
    :effect (and (at_kitchen_sandwich ?s) (no_gluten_sandwich ?s)
                 (not (at_kitchen_bread ?b)) (not (at_kitchen_content ?c)) (not (notexist ?s))))

  (:action make_sandwich
    :parameters (?s - sandwich ?b - bread ?c - content)
    :precondition (and (at_kitchen_bread ?b) (at_kitchen_content ?c) (notexist ?s))
    :effect (and (at_kitchen_sandwich ?s)
                 (not (at_kitchen_bread ?b)) (not (at_kitchen_content ?c)) (not (notexist ?s))))

  (:action put_on_tray
    :parameters (?s - sandwich ?t - tray)
    :precondition (and (at_kitchen_sandwich ?s) (at ?t kitchen))
    :effect (and (ontray ?s ?t) (not (at_kitchen_sandwich ?s))))

  (:action move_tray
    :parameters (?t - tray ?from ?to - place)
    :precondition (at ?t ?from)
    :effect (and (at ?t ?to) (not (at ?t ?from))))

  (:action serve_sandwich_no_gluten
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (allergic_gluten ?c) (ontray ?s ?t) (no_gluten_sandwich ?s) (waiting ?c ?p) (at ?t ?p))
    :effect (and (served ?c) (not (ontray ?s ?t))))

  (:action serve_sandwich
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (not_allergic_gluten ?c) (ontray ?s ?t) (waiting ?c ?p) (at ?t ?p))
    :effect (and (served ?c) (not (ontray ?s ?t)))))
