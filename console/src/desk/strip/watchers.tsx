import { Plus, X } from "lucide-react";
import { useNames } from "../../data/names/names.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { useMe, useRefusals } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { KINDS, type Ticket, useWatchers } from "../ticket-kind.ts";
import { setWatcher } from "../ticket/use-watch.ts";
import { Button } from "../../ui/form/button.tsx";

/** The people who are notified about the ticket. */
export function Watchers({ ticket }: { readonly ticket: Ticket }) {
  const { kind, number } = ticket;
  const refusalOf = useRefusals();
  const nameOf = useNames();
  const meId = useMe()?.user.id;
  const watchers = useWatchers(kind, number).data?.data ?? [];
  const { write } = KINDS[kind];
  const refusal = refusalOf(write);
  const change = (userId: string, isWatching: boolean): void =>
    setWatcher(ticket, userId, {
      isWatching,
      said: `${nameOf(userId) ?? "Unknown user"} ${isWatching ? "is watching" : "stopped watching"} ${number}`,
    });
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">Watchers</span>
        <Popover
          label="Add watcher"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <div className="small-form">
              <PersonCombobox
                label="Person"
                placeholder="Search people"
                without={watchers.map(({ userId }) => userId)}
                value={undefined}
                onChange={(userId) => {
                  if (userId === undefined) return;
                  close();
                  change(userId, true);
                }}
              />
            </div>
          )}
        </Popover>
      </h2>
      {watchers.length === 0 && <p className="muted">No watchers.</p>}
      <ul className="strip-list">
        {watchers.map(({ userId }) => (
          <li key={userId} className="row">
            <Avatar name={nameOf(userId)} />
            <span className="grow cut">{nameOf(userId) ?? "Unknown user"}</span>
            {(refusal === undefined || userId === meId) && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`Remove watcher ${nameOf(userId) ?? "Unknown user"}`}
                onClick={() => change(userId, false)}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
