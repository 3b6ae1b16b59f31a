/** Rows as cards: in columns by a field, or in the days of a month. */
import type { Card } from "../browser/page-state.ts";
import { localTime } from "#kernel/html/form/local-time.ts";
import { idOf, rowsOf } from "../sources/load-sources.ts";
import { getSource, RANGE_ROWS_MAX, readRowsBetween } from "../sources/table-page.ts";
import { type LabelOf, labelsOfSource } from "./column-titles.ts";
import { type RenderContext, type RenderedComponent, sourceValue } from "./render-context.ts";
import { cellValue, displayFields, toOptions, toText, valueAt } from "./values.ts";

const COLUMNS_MAX = 20;

export async function renderBoard(ctx: RenderContext): Promise<RenderedComponent> {
  const { props, component, session } = ctx;
  const rows = rowsOf(sourceValue(ctx));
  const labelOf = await labelsOfSource(session, component);
  const groupBy = String(component["groupBy"]);
  const groupOf = (row: unknown): string => toText(cellValue(row, groupBy));
  const named = toOptions(props["columns"]);
  const others = [...new Set(rows.map(groupOf))].filter(
    (value) => !named.some((option) => option.value === value),
  );
  const columns = [...named, ...others.map((value) => ({ value, label: value }))];
  const isRecord = getSource(session, component.dataSource).kind === "table";
  return {
    type: "board",
    title: toText(props["title"]),
    columns: columns.slice(0, COLUMNS_MAX).map(({ value, label }) => ({
      value,
      label: label === "" ? "None" : label,
      cards: rows.filter((row) => groupOf(row) === value).map((row) => toCard(ctx, row, labelOf)),
    })),
    canMove: component["move"] === true && isRecord && !groupBy.includes("."),
    isPressed: component["rowAction"] !== undefined,
    empty: toText(props["empty"] ?? "No data"),
  };
}

function toCard({ component, props }: RenderContext, row: unknown, labelOf: LabelOf): Card {
  const fields =
    props["fields"] === undefined ? [] : displayFields(props["fields"], [row], labelOf);
  return {
    key: idOf(row) ?? null,
    title: toText(cellValue(row, String(component["cardTitle"]))),
    fields: fields.map(({ field, label, format }) => ({
      label,
      format,
      value: cellValue(row, field),
    })),
  };
}

const DAY_MS = 86_400_000;

export async function renderCalendar(ctx: RenderContext): Promise<RenderedComponent> {
  const { props, component, browserState, id, session } = ctx;
  const { timeZone } = session.region;
  const labelOf = await labelsOfSource(session, component);
  const view = Object.hasOwn(browserState.views, id) ? browserState.views[id] : undefined;
  const now = localTime(new Date(session.platform.clock.nowMs()), timeZone);
  // Beyond these years, days have other numbers of digits.
  const month = /^[1-8]\d{3}-(0[1-9]|1[0-2])$/.test(view?.month ?? "")
    ? (view?.month ?? "")
    : now.slice(0, 7);
  const days = daysOfMonth(month);
  const field = String(component["date"]);
  const [first = "", last = ""] = [days[0], days.at(-1)];
  const end = new Date(Date.parse(`${last}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  const rows = await readRowsBetween(ctx, component, { [field]: { gte: first, lt: end } });
  const dayOf = (row: unknown): string => {
    const value = toText(valueAt(row, field));
    if (value.length <= 10) return value;
    const moment = new Date(value);
    return Number.isNaN(moment.getTime()) ? "" : localTime(moment, timeZone).slice(0, 10);
  };
  return {
    type: "calendar",
    title: toText(props["title"]),
    month,
    today: now.slice(0, 10),
    days: days.map((day) => ({
      day,
      cards: rows.filter((row) => dayOf(row) === day).map((row) => toCard(ctx, row, labelOf)),
    })),
    isPressed: component["rowAction"] !== undefined,
    ...(rows.length >= RANGE_ROWS_MAX && { notice: `Shows only the first ${RANGE_ROWS_MAX}.` }),
  };
}

/** The days of whole weeks, from Monday, that have this month. */
function daysOfMonth(month: string): string[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const start = first.getTime() - ((first.getUTCDay() + 6) % 7) * DAY_MS;
  const days: string[] = [];
  for (let at = start; ; at += 7 * DAY_MS) {
    const week = Array.from({ length: 7 }, (_, n) => new Date(at + n * DAY_MS).toISOString());
    if (days.length > 0 && !week[0]?.startsWith(month)) return days;
    days.push(...week.map((day) => day.slice(0, 10)));
  }
}
