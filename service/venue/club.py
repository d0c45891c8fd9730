"""The club at work: what came, what is kept, the broker, the results; one process."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from service.venue.database import connect, kept_of_all, upgrade
from service.venue.intake import Intake
from service.venue.keeping import Keeper
from service.venue.link import Address, Link
from service.venue.tally import Tally

WAIT_S: Final = 2.0
"""Between tries to reach a database that is away at the start."""

log = logging.getLogger("tallycam.venue")


@dataclass(frozen=True, kw_only=True)
class Club:
    """All parts; started and ended as one."""

    engine: Engine
    intake: Intake
    link: Link
    keeper: Keeper
    tally: Tally

    def __enter__(self) -> Self:
        self.keeper.start()
        self.tally.start()
        self.link.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.link.close()
        self.keeper.close()
        self.tally.close()
        self.engine.dispose()


def open_club(url: str, broker: Address, waiting: Callable[[str], None] = log.warning) -> Club:
    """Give the club of a database, brought to this program's form; waits for one that is away.

    Parameters
    ----------
    url
        Of the database: `postgresql://USER@HOST/NAME`.
    broker
        Where boards hand over.
    waiting
        Told once, in a sentence, that it is waited for the database.

    Raises
    ------
    ClubRefused
        If the address is no PostgreSQL's or the database cannot be the club's.
    """
    engine, told = connect(url), False
    while True:
        try:
            upgrade(engine)
            known = kept_of_all(engine)
            break
        except OperationalError as error:
            if not told:
                waiting(f"waiting for the database: {str(error.orig).strip().splitlines()[-1]}")
            told = True
            time.sleep(WAIT_S)
    intake = Intake(known)
    link = Link(intake, broker)
    tally = Tally(engine)
    keeper = Keeper(engine, intake, link.announce, tally.moved)
    return Club(engine=engine, intake=intake, link=link, keeper=keeper, tally=tally)
