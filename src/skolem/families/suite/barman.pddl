; A barman with two hands mixes cocktails in a shaker and serves them in shots; ingredients are dear, handling is cheap.
(define (domain barman)
  (:requirements :strips :typing :action-costs)
  (:types hand level beverage dispenser container - object
          ingredient cocktail - beverage
          shot shaker - container)
  (:predicates
    (ontable ?c - container) (holding ?h - hand ?c - container) (handempty ?h - hand)
    (empty ?c - container) (contains ?c - container ?b - beverage) (clean ?c - container)
    (used ?c - container ?b - beverage) (dispenses ?d - dispenser ?i - ingredient)
    (shaker-empty-level ?s - shaker ?l - level) (shaker-level ?s - shaker ?l - level) (next ?less ?more - level)
    (unshaked ?s - shaker) (shaked ?s - shaker)
    (cocktail-part1 ?c - cocktail ?i - ingredient) (cocktail-part2 ?c - cocktail ?i - ingredient)
    (crystal ?s - shot) (coloured ?s - shot) (sweet ?b - beverage) (sour ?b - beverage))
  (:functions (total-cost) - number)

  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (ontable ?c) (handempty ?h))
    :effect (and (holding ?h ?c) (not (ontable ?c)) (not (handempty ?h)) (increase (total-cost) 1)))

  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (holding ?h ?c)
    :effect (and (handempty ?h) (ontable ?c) (not (holding ?h ?c)) (increase (total-cost) 1)))

  (:action fill-shot
    :parameters (?s - shot ?i - ingredient ?h ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (handempty ?other) (dispenses ?d ?i) (empty ?s) (clean ?s))
    :effect (and (contains ?s ?i) (used ?s ?i) (not (empty ?s)) (not (clean ?s)) (increase (total-cost) 10)))

  (:action refill-shot
    :parameters (?s - shot ?i - ingredient ?h ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (handempty ?other) (dispenses ?d ?i) (empty ?s) (used ?s ?i))
    :effect (and (contains ?s ?i) (not (empty ?s)) (increase (total-cost) 10)))

  (:action empty-shot
    :parameters (?h - hand ?s - shot ?b - beverage)
    :precondition (and (holding ?h ?s) (contains ?s ?b))
    :effect (and (empty ?s) (not (contains ?s ?b)) (increase (total-cost) 1)))

  (:action clean-shot
    :parameters (?s - shot ?b - beverage ?h ?other - hand)
    :precondition (and (holding ?h ?s) (handempty ?other) (empty ?s) (used ?s ?b))
    :effect (and (clean ?s) (not (used ?s ?b)) (increase (total-cost) 1)))

  (:action pour-shot-to-clean-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?from ?to - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (empty ?k) (clean ?k) (shaker-level ?k ?from) (next ?from ?to))
    :effect (and (contains ?k ?i) (empty ?s) (unshaked ?k) (shaker-level ?k ?to)
                 (not (contains ?s ?i)) (not (empty ?k)) (not (clean ?k)) (not (shaker-level ?k ?from))
                 (increase (total-cost) 1)))

  (:action pour-shot-to-used-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?from ?to - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (unshaked ?k) (shaker-level ?k ?from) (next ?from ?to))
    :effect (and (contains ?k ?i) (empty ?s) (shaker-level ?k ?to)
                 (not (contains ?s ?i)) (not (shaker-level ?k ?from)) (increase (total-cost) 1)))

  (:action empty-shaker
    :parameters (?h - hand ?k - shaker ?b - cocktail ?level ?bottom - level)
    :precondition (and (holding ?h ?k) (contains ?k ?b) (shaked ?k) (shaker-level ?k ?level)
                       (shaker-empty-level ?k ?bottom))
    :effect (and (empty ?k) (shaker-level ?k ?bottom)
                 (not (shaked ?k)) (not (shaker-level ?k ?level)) (not (contains ?k ?b)) (increase (total-cost) 1)))

  (:action clean-shaker
    :parameters (?h ?other - hand ?k - shaker)
    :precondition (and (holding ?h ?k) (handempty ?other) (empty ?k))
    :effect (and (clean ?k) (increase (total-cost) 1)))

  (:action shake
    :parameters (?b - cocktail ?i ?j - ingredient ?k - shaker ?h ?other - hand)
    :precondition (and (holding ?h ?k) (handempty ?other) (contains ?k ?i) (contains ?k ?j)
                       (cocktail-part1 ?b ?i) (cocktail-part2 ?b ?j) (unshaked ?k))
    :effect (and (contains ?k ?b) (shaked ?k)
                 (not (unshaked ?k)) (not (contains ?k ?i)) (not (contains ?k ?j)) (increase (total-cost) 1)))

  (:action pour-shaker-to-shot
    :parameters (?b - cocktail ?s - shot ?h - hand ?k - shaker ?from ?to - level)
    :precondition (and (holding ?h ?k) (shaked ?k) (empty ?s) (clean ?s) (contains ?k ?b) (shaker-level ?k ?from)
                       (next ?to ?from))
    :effect (and (contains ?s ?b) (used ?s ?b) (shaker-level ?k ?to)
                 (not (clean ?s)) (not (empty ?s)) (not (shaker-level ?k ?from)) (increase (total-cost) 1))))
