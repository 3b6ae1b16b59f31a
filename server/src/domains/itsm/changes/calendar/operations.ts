import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import { Failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { created, media, noContent, item } from "#kernel/operation/response.ts";
import { InputTime, object, Time } from "#kernel/schema/schema.ts";
import { ChangesRead } from "../permissions.ts";
import { Calendar, FEED_DAYS, parseWindow, readCalendar, readICalendar } from "./calendar.ts";
import {
  FeedCreated,
  FeedRevoked,
  FeedToken,
  newFeedToken,
  authenticateFeed,
  putFeed,
  removeFeed,
} from "./feed.ts";

const PATH = "/api/v1/itsm/changes";
const ICALENDAR = "text/calendar; charset=utf-8";
const Times = object({ from: Type.Optional(InputTime), to: Type.Optional(InputTime) });

const getCalendar = query({
  id: "changes.calendar",
  route: `GET ${PATH}/calendar`,
  summary: "List planned changes and change freezes in a period",
  description:
    "Default: the next 31 days. Omits drafts, rejected and cancelled changes, and changes without a planned window.",
  permission: ChangesRead,
  query: Times,
  response: item(Calendar),
  run: ({ tx, now }, { query: times }) =>
    readCalendar(tx, parseWindow(times, now, { daysBefore: 0, daysAfter: 31 })),
});

const getICalendar = query({
  id: "changes.calendar_ics",
  route: `GET ${PATH}/calendar.ics`,
  summary: "Get the change calendar as iCalendar",
  description:
    "Default: from one month ago to one year ahead. Set `from` and `to` for another period.",
  permission: ChangesRead,
  query: Times,
  response: media(ICALENDAR),
  run: ({ tx, now }, { query: times }) => readICalendar(tx, parseWindow(times, now, FEED_DAYS)),
});

const createFeed = command({
  id: "changes.create_calendar_feed",
  route: `POST ${PATH}/calendar-feed`,
  summary: "Create a calendar feed URL",
  description:
    "Anyone with the URL can read the calendar, so keep it secret. It is shown only in this response. It is valid until you create another one, revoke it, or lose the permission to view changes.",
  permission: ChangesRead,
  issuesCredential: true,
  response: created(
    Type.Object({ url: Type.String(), createdAt: Time }, { title: "CalendarFeed" }),
  ),
  emits: [FeedRevoked, FeedCreated],
  async run(ctx) {
    const { tx, now, caller } = ctx;
    const userId = authorOf(caller);
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
  summary: "Revoke your calendar feed URL",
  permission: ChangesRead,
  response: noContent(),
  emits: [FeedRevoked],
  fails: [NotFound],
  async run({ tx, caller, emit }) {
    const userId = authorOf(caller);
    if (!(await removeFeed(tx, userId))) throw new Failure(NotFound);
    emit(FeedRevoked, { id: userId }, { userId });
  },
});

const readFeed = query({
  id: "changes.read_calendar_feed",
  route: "GET /calendars/{token}.ics",
  summary: "Get the change calendar by its secret URL",
  access: "public",
  params: object({ token: FeedToken }),
  response: media(ICALENDAR),
  fails: [RateLimited],
  example: { params: { token: "Zm9yLWV4YW1wbGUtb25seS1ub3QtZm9yLXVzZS1hdC1" } },
  async prepare(platform, { params }) {
    const partition = await authenticateFeed(platform, params.token);
    const window = parseWindow({}, platform.clock.now(), FEED_DAYS);
    return platform.db.read(partition, (tx) => readICalendar(tx, window));
  },
  run: async (_ctx, _input, calendar) => calendar,
});

export const calendarOperations = [getCalendar, getICalendar, createFeed, deleteFeed, readFeed];
