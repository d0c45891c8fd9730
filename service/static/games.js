// A module a game: its name, its board, how a shot is entered and corrected.

import * as astrolabe from "./games/astrolabe.js";
import * as cricket from "./games/cricket.js";
import * as finn from "./games/finn.js";

const GAMES = { astrolabe, cricket, finn };

/** What the page knows of a game. */
export const gameOf = (game) => GAMES[game];
