import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { useMe, useRefusals } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { refreshTickets } from "../ticket-cache.ts";
import { KINDS, type Ticket, UNWATCH, useWatchers, WATCH } from "../ticket-kind.ts";
import { Button } from "../../ui/form/button.tsx";

/** People who are told what happens to the ticket. */
export function Watchers({ ticket }: { readonly ticket: Ticket }) {
  const { kind, id, number } = ticket;
  const refusalOf = useRefusals();
  const nameOf = useNames();
  const meId = useMe()?.user.id;
  const watchers = useWatchers(kind, number).data?.data ?? [];
  const { write } = KINDS[kind];
  const refusal = refusalOf(write);
  const set = async (userId: string, isWatching: boolean): Promise<void> => {
    if (isWatching) await call(WATCH[kind], { params: { id }, body: { userId } });
    else await call(UNWATCH[kind], { params: { id, userId } });
    refreshTickets(kind);
  };
  const change = (userId: string, isWatching: boolean): void => {
    const name = nameOf(userId) ?? "Somebody";
    void applyChange({
      send: () => set(userId, isWatching),
      said: isWatching ? `${name} watches ${number}` : `${name} no longer watches ${number}`,
      undo: () => set(userId, !isWatching),
    });
  };
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">Watchers</span>
        <Popover
          label="Add a watcher"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <WatcherForm
              has={watchers.map(({ userId }) => userId)}
              onAdd={(userId) => {
                close();
                change(userId, true);
              }}
            />
          )}
        </Popover>
      </h2>
      {watchers.length === 0 && <p className="muted">Nobody.</p>}
      <ul className="strip-list">
        {watchers.map(({ userId }) => (
          <li key={userId} className="row">
            <Avatar name={nameOf(userId)} />
            <span className="grow cut">{nameOf(userId) ?? "Somebody"}</span>
            {(refusal === undefined || userId === meId) && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`${nameOf(userId) ?? "Somebody"} watches no longer`}
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

interface WatcherFormProps {
  readonly has: readonly string[];
  readonly onAdd: (userId: string) => void;
}

function WatcherForm({ has, onAdd }: WatcherFormProps) {
  const [userId, setUser] = useState<string>();
  return (
    <form
      className="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (userId !== undefined) onAdd(userId);
      }}
    >
      <PersonCombobox label="Who" without={has} value={userId} onChange={setUser} />
      <Button look="main" disabled={userId === undefined}>
        Add
      </Button>
    </form>
  );
}
