import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";

/** The log's path is a prefix of the others, so it must match exactly. */
const EXACT = { exact: true, includeSearch: false };

/** The shared header of the three event screens. */
export function EventsHead({ children }: { readonly children?: ReactNode }) {
  const mayRepair = useMay()("dead_letters.list");
  const dead = useOp("dead_letters.list", { query: { limit: 100 } }, { enabled: mayRepair });
  const letters = dead.data?.data.length ?? 0;
  return (
    <header className="page-head events-head">
      <h1>Events</h1>
      <nav className="segment" aria-label="Events">
        <Link to="/events" activeOptions={EXACT}>
          Log
        </Link>
        <Link to="/events/topics">Topics</Link>
        {mayRepair && (
          <Link to="/events/dead-letters">
            Dead letters
            {letters > 0 && (
              <span className="events-count">{letters >= 100 ? "99+" : letters}</span>
            )}
          </Link>
        )}
      </nav>
      <span className="grow" />
      {children}
    </header>
  );
}
