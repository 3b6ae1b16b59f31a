import type { ReactNode } from "react";
import { toWords } from "../ui/words.ts";
import { groupPromises, type Report, toPercent } from "./figure.ts";
import { PlainButton } from "../ui/form/button.tsx";

interface BreakdownProps {
  readonly report: Report;
  readonly onOpen: (figure: string) => void;
}

interface BarLine {
  readonly id: string;
  readonly label: string;
  /** The bar segments in order, with a tone. */
  readonly parts: readonly { readonly value: number; readonly tone: string }[];
  readonly words: string;
  readonly rows: string;
}

interface CardProps {
  readonly title: string;
  readonly lines: readonly BarLine[];
  readonly nothing: string;
  readonly onOpen: (figure: string) => void;
  readonly foot?: ReactNode;
}

/** Bars with names and numbers, each with a link to its tickets. */
function BarCard({ title, lines, nothing, onOpen, foot }: CardProps) {
  const sum = ({ parts }: BarLine): number => parts.reduce((total, { value }) => total + value, 0);
  const max = Math.max(1, ...lines.map(sum));
  return (
    <section className="report-card" aria-label={title}>
      <h2>{title}</h2>
      {lines.length === 0 && <p className="muted">{nothing}</p>}
      <ul className="bar-lines">
        {lines.map((line) => (
          <li key={line.id}>
            <PlainButton className="bar-line" onClick={() => onOpen(line.rows)}>
              <span className="bar-label cut">{line.label}</span>
              <span className="bar-track" aria-hidden="true">
                {line.parts.map(({ value, tone }) => (
                  <span
                    key={tone}
                    className={`bar-part ${tone}`}
                    style={{ width: `${(value / max) * 100}%` }}
                  />
                ))}
              </span>
              <span className="bar-words">{line.words}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      {foot}
    </section>
  );
}

export function AgeBars({ report, onOpen }: BreakdownProps) {
  const lines = report.ages.map(({ fromDays, toDays, open, late }): BarLine => ({
    id: String(fromDays),
    label:
      toDays === null
        ? `Over ${fromDays} days`
        : toDays === 1
          ? "Today"
          : `${fromDays}–${toDays} days`,
    parts: [
      { value: late, tone: "bad" },
      { value: open - late, tone: "info" },
    ],
    words: late > 0 ? `${open} · ${late} late` : `${open}`,
    rows: `open?minAgeDays=${fromDays}${toDays === null ? "" : `&maxAgeDays=${toDays}`}`,
  }));
  const isEmpty = report.ages.every(({ open }) => open === 0);
  return (
    <BarCard
      title="Open tickets by age"
      lines={isEmpty ? [] : lines}
      nothing="No open tickets."
      onOpen={onOpen}
    />
  );
}

export function KeptBars(props: BreakdownProps & { readonly by: "team" | "priority" }) {
  const { report, onOpen, by } = props;
  const lines = groupPromises(report.promises, by).map(({ id, label, met, breached }): BarLine => ({
    id,
    label,
    parts: [
      { value: met, tone: "ok" },
      { value: breached, tone: "bad" },
    ],
    words: `${Math.round(toPercent(met, met + breached) ?? 0)} % of ${met + breached}`,
    rows: `breached?${by === "team" ? "teamId" : "priority"}=${id}`,
  }));
  return (
    <BarCard
      title={by === "team" ? "SLA met by team" : "SLA met by priority"}
      lines={lines}
      nothing="No SLA targets in this period."
      onOpen={onOpen}
    />
  );
}

export function StarBars({ report, onOpen }: BreakdownProps) {
  const lines = [5, 4, 3, 2, 1].map((n): BarLine => {
    const value = report.stars.find(({ satisfaction }) => satisfaction === n)?.ratings ?? 0;
    const tone = n >= 4 ? "ok" : n === 3 ? "warn" : "bad";
    return {
      id: String(n),
      label: `${n} of 5`,
      parts: [{ value, tone }],
      words: String(value),
      rows: `rated?satisfaction=${n}`,
    };
  });
  return (
    <BarCard
      title="Satisfaction"
      lines={report.stars.length === 0 ? [] : lines}
      nothing="No ratings in this period."
      onOpen={onOpen}
    />
  );
}

export function CategoryTable({ report, onOpen }: BreakdownProps) {
  const lines = report.categories.map(({ category, created, before }): BarLine => ({
    id: category,
    label: category === "" ? "None" : toWords(category),
    parts: [{ value: created, tone: "info" }],
    words: before === 0 ? String(created) : `${created} · previously ${before}`,
    rows: `created?category=${encodeURIComponent(category)}`,
  }));
  return (
    <BarCard
      title="Created by category"
      lines={lines}
      nothing="No tickets with a category."
      onOpen={onOpen}
    />
  );
}

export function ServiceTable({ report, onOpen }: BreakdownProps) {
  const lines = report.services.map(({ id, name, created }): BarLine => ({
    id: id ?? "",
    label: name ?? "Deleted item",
    parts: [{ value: created, tone: "info" }],
    words: String(created),
    rows: `created?itemId=${id ?? ""}`,
  }));
  return (
    <BarCard
      title="Created by service"
      lines={lines}
      nothing="No tickets with a configuration item."
      onOpen={onOpen}
    />
  );
}
