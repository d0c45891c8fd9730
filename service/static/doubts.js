// Codes of doubt in words, for people beside a board.

const WORDS = {
  // any game
  UNEXPLAINED_CHANGE: "something else changed too", NOT_SETTLED: "the recording went on before all was at rest",
  HANDS_NOT_SEEN: "pieces moved, but no hand was seen", BOARD_MOVED: "the board or the camera moved", CAMERA_SHIFTED: "the camera moved",
  AFTER_A_GAP: "it happened while nothing could be seen", NO_BEFORE: "there is no picture from before it",
  RULES_REFUSE: "the rules refuse it where the match stands", REVISED_LATER: "a later look says otherwise",
  // darts
  ON_A_WIRE: "the tip is on a wire", NEAR_WIRE: "the tip is on a wire", TIP_UNSURE: "the tip is not seen clearly", TIP_HIDDEN: "the tip is hidden",
  MAYBE_NO_DART: "it may be no dart", LEAN_ODD: "it leans oddly", NO_TIP_FOUND: "it could not be read", NO_DART_FOUND: "the board changed, and it was no dart",
  VIEWS_DISAGREE: "two cameras disagree", SEEN_BY_ONE: "one camera alone saw it",
  SEVERAL_AT_ONCE: "two darts came at once", MAYBE_ANOTHER_DART: "there may be another dart", MAYBE_A_HAND: "a hand may have been near",
  FOURTH_DART: "a fourth dart", FILLED_WITH_MISS: "no dart was seen", DARTS_LEFT: "darts may still be in the board",
  DARTS_NOT_KNOWN: "darts were pulled that were not seen", NOTHING_TO_PULL: "hands came, and no dart was there", DART_FELL: "a dart fell out",
  BOARD_CHANGED: "the board is not as it was", BOARD_TURNED: "which sector is 20 could not be read", BOARD_NOT_SEEN: "too little of the board is seen",
  BOARD_FOLLOWED: "the board moved and was found again", BOARD_LOST: "the board moved and was lost",
  // pins
  WHICH_PIN: "which pin it was is not sure", NUMBER_UNSURE: "the number was not read for sure", PIN_NOT_FOUND: "a pin was not found standing before",
  PIN_NOT_SEEN: "a pin is seen nowhere", PIN_UNSURE: "how the pin lies is not sure", PLACE_UNSURE: "where the pin lies is not sure",
  LEANING_UNSURE: "leaning or fallen is not sure", COUNT_CHANGED: "setting up told another number of pins", NO_DISC_SEEN: "cushions are not sure",
  NO_SHOT: "pins moved without a shot",
  // balls
  SLOT_UNSURE: "what lies in the slot is not sure", SHOT_UNSURE: "what moved is not sure", COLOUR_UNSURE: "the colour is not sure",
  COLOURS_NEAR: "the two colours are near each other", COLOUR_LIKE_BOARD: "a colour is the table's", ONE_COLOUR: "only one colour was taught",
  TAP_MISSED: "a tap did not hit a ball", WHICH_BALL: "which ball went where is not sure", BALL_GONE: "where a ball is, is not sure",
  TABLE_STRUCK: "the table was struck or lifted", BALL_TOUCHED: "a hand met a rolling ball",
  MAYBE_A_BALL: "something may be a ball", NOT_A_BALL: "something is no ball", PLAY_LINE: "a body was over the Play Line",
  NOTHING_CHANGED: "the pictures show no shot",
};

/** What a code says, with the pin that it is about. */
export const doubt = ({ code, pin }) => (WORDS[code] ?? code.toLowerCase().replaceAll("_", " ")) + (pin ? ` (pin ${pin})` : "");

/** All of them in one sentence, each once. */
export const doubts = (codes) => [...new Set(codes.map(doubt))].join("; ");
