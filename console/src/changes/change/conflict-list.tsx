import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { toSpan } from "../calendar/days.ts";
import { type Conflicts, hasConflicts } from "./use-change.ts";

/** The conflicts of a change: freezes first, then changes of the same items. */
export function ConflictList({ conflicts }: { readonly conflicts: Conflicts | undefined }) {
  if (!conflicts || !hasConflicts(conflicts)) return null;
  const { blackoutWindows, changes } = conflicts;
  return (
    <section className="conflicts" aria-label="Conflicts">
      <h3>
        <TriangleAlert className="ico" /> Conflicts
      </h3>
      <ul>
        {blackoutWindows.map(({ id, name, reason, start, end }) => (
          <li key={id}>
            <strong>{name}</strong>
            <span>
              {reason === "" ? "No changes are allowed in this time" : reason} ·{" "}
              {toSpan(start, end)}
            </span>
          </li>
        ))}
        {changes.map(({ id, number, title, plannedStart, plannedEnd }) => (
          <li key={id}>
            <Link to="/changes/$id" params={{ id: number }}>
              {title}
            </Link>
            <span>
              {number}, same configuration item · {toSpan(plannedStart, plannedEnd)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
