import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useNames } from "../../data/names/names.ts";
import { type Moment, toStream, useTimeline } from "../../desk/index.ts";
import { UndoButton } from "../../events/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Timeline } from "../../ui/display/timeline.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";

const SAID_CHARACTERS = 280;

/** Shows the problem history, newest first. Entries can show the problem at that time. */
export function History({ number }: { readonly number: string }) {
  const navigate = useNavigate();
  const nameOf = useNames();
  const { data, error, refetch } = useTimeline("problem", number);
  const moments = data?.data as readonly Moment[] | undefined;
  const entries = useMemo(
    () => toStream(moments ?? [], nameOf, null).toReversed(),
    [moments, nameOf],
  );
  const see = (at: string): void =>
    void navigate({
      to: "/desk/$kind/$number",
      params: { kind: "problems", number },
      search: { at },
    });
  return (
    <section aria-label="History">
      <h2>Timeline</h2>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!moments && !error && <Loading rows={3} />}
      <Timeline
        label="Timeline"
        onSee={see}
        entries={entries.map((entry) => {
          const name = entry.actor.name ?? "Millrace";
          const mark = <Avatar name={name} />;
          const { id, at } = entry;
          if (entry.sort === "done") {
            const act = <UndoButton events={entry.events} />;
            return { id, at: entry.until, mark, act, title: `${name} ${entry.clauses.join(", ")}` };
          }
          if (entry.sort === "filed") {
            const files = entry.files.map((file) => file.name).join(", ");
            return { id, at, mark, title: `${name} added ${files}` };
          }
          const said = entry.body.slice(0, SAID_CHARACTERS);
          return {
            id,
            at,
            mark,
            title: entry.label === undefined ? `${name} commented` : `${name}: ${entry.label}`,
            children: (
              <p className="problem-said">{said.length < entry.body.length ? `${said}…` : said}</p>
            ),
          };
        })}
      />
    </section>
  );
}
