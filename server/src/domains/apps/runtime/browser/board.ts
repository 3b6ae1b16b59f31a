/** Cards in columns, and cards in the days of a month. */
import { formatDay, formatMonth, formatValue } from "./format.ts";
import type { Card, ResolvedBoard, ResolvedCalendar } from "./page-state.ts";
import { h, type VNode } from "#kernel/html/vnode.ts";

export function boardView(board: ResolvedBoard, id: string): VNode {
  const { title, columns, empty } = board;
  return h(
    "div",
    { class: "board-box" },
    title !== "" && h("h2", { class: "card-title" }, title),
    columns.length === 0
      ? h("p", { class: "faint empty" }, empty)
      : h(
          "div",
          {
            class: "board",
            role: "region",
            tabindex: "0",
            "aria-label": title === "" ? "Board" : title,
          },
          columns.map((column, at) => columnView(board, column, { id, at })),
        ),
  );
}

interface Place {
  readonly id: string;
  readonly at: number;
}

function columnView(
  board: ResolvedBoard,
  { value, label, cards }: ResolvedBoard["columns"][number],
  { id, at }: Place,
): VNode {
  return h(
    "section",
    {
      class: "board-column",
      "aria-label": label,
      "data-key": `column ${value}`,
      "data-column": board.canMove ? value : undefined,
      "data-part": id,
    },
    h("h3", {}, label, h("span", { class: "faint" }, ` ${cards.length}`)),
    h(
      "ul",
      {},
      cards.map((card) => boardCard(board, card, { id, at })),
    ),
  );
}

function boardCard({ columns, canMove, isPressed }: ResolvedBoard, card: Card, { id, at }: Place) {
  const { key } = card;
  const move = (to: number, sign: string, side: string): VNode | false => {
    const column = columns[to];
    if (!canMove || key === null || !column) return false;
    const more = { "data-part": id, "data-row": key, "data-move": column.value };
    const label = `Move ${card.title} to ${column.label}`;
    return h(
      "button",
      { type: "button", class: `step ${side}`, "aria-label": label, title: label, ...more },
      sign,
    );
  };
  return h(
    "li",
    {
      class: "tile",
      "data-key": key ?? undefined,
      draggable: canMove && key !== null ? "true" : undefined,
      "data-drag": canMove && key !== null ? key : undefined,
      "data-part": id,
    },
    titleView(card, id, isPressed),
    card.fields.length > 0 &&
      h(
        "dl",
        {},
        card.fields.map(({ label, value, format }) =>
          h("div", {}, h("dt", {}, label), h("dd", {}, formatValue(value, format))),
        ),
      ),
    move(at - 1, "←", "before"),
    move(at + 1, "→", "after"),
  );
}

function titleView({ key, title }: Card, id: string, isPressed: boolean): VNode {
  const words = title === "" ? "Untitled" : title;
  if (!isPressed || key === null) return h("p", { class: "tile-title" }, words);
  const press = { "data-part": id, "data-act": "/rowAction", "data-row": key };
  return h("button", { type: "button", class: "tile-title open", ...press }, words);
}

export function calendarView(calendar: ResolvedCalendar, id: string): VNode {
  const { title, month, today, days, isPressed } = calendar;
  const turn = (by: number, sign: string, label: string): VNode =>
    h(
      "button",
      {
        type: "button",
        class: "push",
        "aria-label": label,
        "data-part": id,
        "data-month": shiftMonth(month, by),
      },
      sign,
    );
  const weeks = Array.from({ length: days.length / 7 }, (_, n) => days.slice(n * 7, n * 7 + 7));
  return h(
    "div",
    { class: "card" },
    h(
      "div",
      { class: "card-head" },
      h(
        "h2",
        { class: "card-title" },
        title === "" ? formatMonth(month) : `${title} · ${formatMonth(month)}`,
      ),
      h("div", { class: "turns" }, turn(-1, "←", "Previous month"), turn(1, "→", "Next month")),
    ),
    h(
      "table",
      { class: "month" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          (weeks[0] ?? []).map(({ day }) => h("th", { scope: "col" }, formatDay(day, "weekday"))),
        ),
      ),
      h(
        "tbody",
        {},
        weeks.map((week) =>
          h(
            "tr",
            {},
            week.map(({ day, cards }) =>
              h(
                "td",
                {
                  class:
                    `${day.startsWith(month) ? "" : "other"} ${day === today ? "today" : ""} ${cards.length > 0 ? "full" : ""}`.trim(),
                },
                h(
                  "time",
                  { datetime: day, "aria-label": formatDay(day, "full") },
                  String(Number(day.slice(8))),
                ),
                cards.map((card) => titleView(card, id, isPressed)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function shiftMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}
