import Type from "typebox";
import { Failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { created, media, noContent, item } from "#kernel/operation/response.ts";
import { InputTime, object, Time } from "#kernel/schema/schema.ts";
import { authorIdOf } from "../change.ts";
import { ChangesRead } from "../permissions.ts";
import { asked, Calendar, calendarIn, FEED_DAYS, iCalendarIn } from "./calendar.ts";
import {
  FeedCreated,
  FeedRevoked,
  FeedToken,
  newFeedToken,
  placeOfFeed,
  putFeed,
  removeFeed,
} from "./feed.ts";

const PATH = "/api/v1/itsm/changes";
const ICALENDAR = "text/calendar; charset=utf-8";
const Times = object({ from: Type.Optional(InputTime), to: Type.Optional(InputTime) });

const readCalendar = query({
  id: "changes.calendar",
  route: `GET ${PATH}/calendar`,
  summary: "See which changes and blackout windows are planned in a time",
  description:
    "From now, for 31 days, unless `from` and `to` say otherwise. Drafts and what was rejected or " +
    "cancelled are not in it, nor is what has no planned window.",
  permission: ChangesRead,
  query: Times,
  response: item(Calendar),
  run: ({ tx, now }, { query: times }) =>
    calendarIn(tx, asked(times, now, { daysBefore: 0, daysAfter: 31 })),
});

const readICalendar = query({
  id: "changes.calendar_ics",
  route: `GET ${PATH}/calendar.ics`,
  summary: "Read the calendar of changes as iCalendar",
  description: "A month back and a year ahead, unless `from` and `to` say otherwise.",
  permission: ChangesRead,
  query: Times,
  response: media(ICALENDAR),
  run: ({ tx, now }, { query: times }) => iCalendarIn(tx, asked(times, now, FEED_DAYS)),
});

const createFeed = command({
  id: "changes.create_calendar_feed",
  route: `POST ${PATH}/calendar-feed`,
  summary: "Make an address for your calendar program",
  description:
    "Whoever has the address reads the calendar, so keep it like a password; it is in this answer and " +
    "nowhere else. It ends when you make another, revoke it, or may no longer see changes.",
  permission: ChangesRead,
  response: created(
    Type.Object({ url: Type.String(), createdAt: Time }, { title: "CalendarFeed" }),
  ),
  emits: [FeedRevoked, FeedCreated],
  async run(ctx) {
    const { tx, now, caller } = ctx;
    const userId = authorIdOf(caller);
    const token = newFeedToken();
    const replaced = await putFeed(tx, { userId, token, now });
    if (replaced) ctx.emit(FeedRevoked, { id: userId }, { userId });
    ctx.emit(FeedCreated, { id: userId }, { userId });
    return { url: `${caller.origin}/calendars/${token}.ics`, createdAt: now.toISOString() };
  },
});

const deleteFeed = command({
  id: "changes.delete_calendar_feed",
  route: `DELETE ${PATH}/calendar-feed`,
  summary: "Revoke the address of your calendar program",
  permission: ChangesRead,
  response: noContent(),
  emits: [FeedRevoked],
  fails: [NotFound],
  async run({ tx, caller, emit }) {
    const userId = authorIdOf(caller);
    if (!(await removeFeed(tx, userId))) throw new Failure(NotFound);
    emit(FeedRevoked, { id: userId }, { userId });
  },
});

const readFeed = query({
  id: "changes.read_calendar_feed",
  route: "GET /calendars/{token}.ics",
  summary: "Read the calendar of changes by its secret address",
  access: "public",
  params: object({ token: FeedToken }),
  response: media(ICALENDAR),
  fails: [RateLimited],
  example: { params: { token: "Zm9yLWV4YW1wbGUtb25seS1ub3QtZm9yLXVzZS1hdC1" } },
  async prepare(platform, { params }) {
    const place = await placeOfFeed(platform, params.token);
    const window = asked({}, platform.clock.now(), FEED_DAYS);
    return platform.db.read(place, (tx) => iCalendarIn(tx, window));
  },
  run: async (_ctx, _input, calendar) => calendar,
});

export const calendarOperations = [readCalendar, readICalendar, createFeed, deleteFeed, readFeed];
