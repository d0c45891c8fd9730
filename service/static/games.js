// A module a game; those without a view of their own share a plain one.

import * as cricket from "./games/cricket.js";
import { plain } from "./games/plain.js";

const VIEWS = { cricket };

/** What the page knows of a game. */
export const gameOf = (game) => VIEWS[game] ?? plain(game);
