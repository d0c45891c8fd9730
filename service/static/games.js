// The games: what each is called, who may play it, by which settings. How it looks is loaded with a match of it.

const MINUTE_MS = 60000;
const minutes = (ms) => `${ms / MINUTE_MS} minutes`;
const word = (place) => place.join(".");

const GAMES = {
  cricket: { name: "FinCricket" },
  finn: {
    name: "Finn Billiards",
    many: true, // any number may play
    settings: [
      { key: "ride_the_rails", group: "Variants", name: "Ride the Rails", usual: false, why: "Each cushion of a scoring shot adds 1" },
      { key: "good_offense", group: "Variants", name: "Good Offense", usual: false, why: "Reach an opponent's score and it falls to 0, or to 35 from above" },
      { key: "target", group: "House rules", name: "Points to win", usual: 70, said: (points) => `to ${points}` },
      { key: "leaning_only_is_air_shot", group: "House rules", name: "Leaning pins alone are an air shot", usual: false, why: "Such a shot then loses 5" },
      { key: "defense_after_off_board", group: "House rules", name: "Defense after a pin left the board", usual: false, why: "With the pins that fell and are still on it" },
      { key: "disc_cm", group: "Sizes", name: "Disc, cm across", usual: 4, least: 0.1, step: 0.1, why: "Pins in defense stand at least so far apart", said: (cm) => `disc ${cm} cm` },
      { key: "pin_cm", group: "Sizes", name: "Pin, cm across", usual: 3, least: 0.1, step: 0.1, said: (cm) => `pins ${cm} cm` },
    ],
  },
  astrolabe: {
    name: "Astrolabe",
    settings: [
      { key: "target", group: "Format", name: "Points to win a Game", usual: null, options: [[null, "none: two Rounds"], [50, "50"], [100, "100"], [150, "150"]], shown: () => "none", said: (points) => `to ${points}` },
      { key: "best_of", group: "Format", name: "Games", usual: 1, options: [[1, "one"], [3, "best of 3"], [5, "best of 5"], [7, "best of 7"]], said: (games) => `best of ${games}` },
      { key: "round_ms", group: "Format", name: "A Round, minutes", usual: 360000, factor: MINUTE_MS, least: 0.5, step: 0.5, shown: minutes, said: (ms) => `Rounds of ${minutes(ms)}` },
      { key: "extra_ms", group: "Format", name: "An extra Round, minutes", usual: 180000, factor: MINUTE_MS, least: 0.5, step: 0.5, shown: minutes, said: (ms) => `extra Rounds of ${minutes(ms)}` },
      { key: "rounds", group: "Format", name: "Rounds of a Game", usual: 2, said: (count) => `${count} Rounds` },
      { key: "live_scoring", group: "Optional rules", name: "Live scoring", usual: false, why: "Only what lies in the slots when the Round ends counts" },
      { key: "grand_slam_finish", group: "Optional rules", name: "Grand Slam finish", usual: false, why: "A Grand Slam ends the Round" },
      { key: "blocking", group: "Optional rules", name: "Blocking", usual: false, why: "A ball between two of the other side is out" },
      { key: "ball_conversion", group: "Optional rules", name: "Ball conversion", usual: false, why: "The umpire may change a ball's colour" },
      { key: "dead_slots", group: "Optional rules", name: "Dead slots", usual: [], places: true, why: "Position.slot of those that score nothing in the second half of a Round", said: (all) => `dead slots ${all.map(word).join(", ")}` },
      { key: "balls", group: "Table", name: "Balls a side", usual: 10, said: (count) => `${count} balls` },
      { key: "slots", group: "Table", name: "Slots", usual: [5, 5, 5], said: (trio) => `slots ${trio.join(", ")}` },
      { key: "base", group: "Table", name: "Points of a slot", usual: [1, 2, 5], said: (trio) => `slots worth ${trio.join(", ")}` },
      { key: "chain", group: "Table", name: "More for each ball of a chain", usual: [1, 2, 5], least: 0, said: (trio) => `chains ${trio.join(", ")}` },
      { key: "multipliers", group: "Table", name: "Times", usual: [1, 1, 1], said: (trio) => `times ${trio.join(", ")}` },
    ],
  },
};

/** What is known of a game before it is played. */
export const gameOf = (game) => GAMES[game];

/** Its board, how a shot is entered, shown and corrected: a module a game. */
export const faceOf = (game) => import(`./games/${game}.js`);
