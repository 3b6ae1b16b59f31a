import { BookOpen, CornerDownLeft, Copy, TriangleAlert } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import type { Ticket } from "../ticket-kind.ts";
import { rankHints, type Hint } from "./hints.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const ICONS = { known_error: TriangleAlert, article: BookOpen, similar: Copy };

/** Suggestions: known errors with workarounds first, then articles, then similar tickets. */
export function Suggestions({
  ticket,
  onInsert,
}: {
  readonly ticket: Ticket;
  readonly onInsert: (text: string) => void;
}) {
  const { data } = useOp("knowledge.suggest_for_incident", { params: { id: ticket.number } });
  const hints = rankHints(data?.data, ticket.id);
  if (hints.length === 0) return null;
  const use = (hint: Hint): void => {
    if (hint.text !== undefined) onInsert(hint.text);
    if (hint.ticketId === undefined) return;
    const ticketId = hint.ticketId;
    void perform(
      "incidents.add_link",
      { params: { id: ticket.id }, body: { ticketId, type: "relates_to" } },
      { said: `${ticket.number} linked to ${hint.number}` },
    );
  };
  return (
    <section className="strip-part">
      <h2>Suggestions</h2>
      <ul className="hints">
        {hints.map((hint) => {
          const Icon = ICONS[hint.sort];
          return (
            <li key={hint.id}>
              <PlainButton className={`hint ${hint.sort}`} onClick={() => use(hint)}>
                <Icon className="ico" aria-hidden="true" />
                <span className="grow">
                  <strong>{hint.title}</strong>
                  {hint.about !== undefined && <small className="hint-about">{hint.about}</small>}
                  <small className="muted">
                    <span className="mono">{hint.number}</span> · {hint.act}
                  </small>
                </span>
                <CornerDownLeft className="ico hint-enter" aria-hidden="true" />
              </PlainButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
