; Rovers sample soil and rock and take images, and send what they found to a lander.
(define (domain rovers)
  (:requirements :strips :typing)
  (:types rover waypoint store camera mode lander objective terrain shape)
  (:predicates
    (at ?r - rover ?w - waypoint) (at_lander ?l - lander ?w - waypoint)
    (can_traverse ?r - rover ?from ?to - waypoint) (visible ?a ?b - waypoint)
    (equipped_for_soil_analysis ?r - rover) (equipped_for_rock_analysis ?r - rover) (equipped_for_imaging ?r - rover)
    (store_of ?s - store ?r - rover) (empty ?s - store) (full ?s - store)
    (at_soil_sample ?w - waypoint) (at_rock_sample ?w - waypoint)
    (have_soil_analysis ?r - rover ?w - waypoint) (have_rock_analysis ?r - rover ?w - waypoint)
    (on_board ?c - camera ?r - rover) (supports ?c - camera ?m - mode) (calibrated ?c - camera ?r - rover)
    (calibration_target ?c - camera ?o - objective) (visible_from ?o - objective ?w - waypoint)
    (have_image ?r - rover ?o - objective ?m - mode)
    (communicated_soil_data ?w - waypoint) (communicated_rock_data ?w - waypoint)
    (communicated_image_data ?o - objective ?m - mode)
    (terrain_of ?w - waypoint ?t - terrain) (shape_of ?o - objective ?s - shape))

  (:action navigate
    :parameters (?r - rover ?from ?to - waypoint)
    :precondition (and (can_traverse ?r ?from ?to) (at ?r ?from))
    :effect (and (at ?r ?to) (not (at ?r ?from))))

  (:action sample_soil
    :parameters (?r - rover ?s - store ?w - waypoint)
    :precondition (and (equipped_for_soil_analysis ?r) (store_of ?s ?r) (empty ?s) (at ?r ?w) (at_soil_sample ?w))
    :effect (and (have_soil_analysis ?r ?w) (full ?s) (not (empty ?s)) (not (at_soil_sample ?w))))

  (:action sample_rock
    :parameters (?r - rover ?s - store ?w - waypoint)
    :precondition (and (equipped_for_rock_analysis ?r) (store_of ?s ?r) (empty ?s) (at ?r ?w) (at_rock_sample ?w))
    :effect (and (have_rock_analysis ?r ?w) (full ?s) (not (empty ?s)) (not (at_rock_sample ?w))))

  (:action drop
    :parameters (?r - rover ?s - store)
    :precondition (and (store_of ?s ?r) (full ?s))
    :effect (and (empty ?s) (not (full ?s))))

  (:action calibrate
    :parameters (?r - rover ?c - camera ?o - objective ?w - waypoint)
    :precondition (and (equipped_for_imaging ?r) (on_board ?c ?r) (calibration_target ?c ?o) (visible_from ?o ?w)
                       (at ?r ?w))
    :effect (calibrated ?c ?r))

  (:action take_image
    :parameters (?r - rover ?w - waypoint ?o - objective ?c - camera ?m - mode)
    :precondition (and (calibrated ?c ?r) (on_board ?c ?r) (equipped_for_imaging ?r) (supports ?c ?m)
                       (visible_from ?o ?w) (at ?r ?w))
    :effect (and (have_image ?r ?o ?m) (not (calibrated ?c ?r))))

  (:action communicate_soil_data
    :parameters (?r - rover ?l - lander ?w ?from ?to - waypoint)
    :precondition (and (at ?r ?from) (at_lander ?l ?to) (visible ?from ?to) (have_soil_analysis ?r ?w))
    :effect (communicated_soil_data ?w))

  (:action communicate_rock_data
    :parameters (?r - rover ?l - lander ?w ?from ?to - waypoint)
    :precondition (and (at ?r ?from) (at_lander ?l ?to) (visible ?from ?to) (have_rock_analysis ?r ?w))
    :effect (communicated_rock_data ?w))

  (:action communicate_image_data
    :parameters (?r - rover ?l - lander ?o - objective ?m - mode ?from ?to - waypoint)
    :precondition (and (at ?r ?from) (at_lander ?l ?to) (visible ?from ?to) (have_image ?r ?o ?m))
    :effect (communicated_image_data ?o ?m)))
