import { Hand, Tag, UsersRound, WandSparkles, X } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useTeams } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import { count } from "../../ui/words.ts";
import type { HeldRow } from "../queue/hold.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { ActPreview, type PlannedAct } from "./act-preview.tsx";
import { MergeButton } from "./merge-dialog.tsx";
import { planActs, planMacro, useMacros } from "./use-macros.ts";

const KEYS_MAX = 9;

interface BulkBarProps {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly selection: Selection;
  readonly onClear: () => void;
}

/** What can be done to the selected tickets: each act is shown by a dry run first. */
export function BulkBar({ rows, selection, onClear }: BulkBarProps) {
  const may = useMay();
  const [plan, setPlan] = useState<PlannedAct>();
  const chosen = rows.filter(({ row }) => selection.ids.has(row.id)).map(({ row }) => row);
  const ids = chosen.map(({ id }) => id);
  const macros = useMacros();
  const teams = useTeams();
  const tags = useOp("tickets.list_tags", { query: { limit: 20 } }, { enabled: may("desk:read") });
  const refusal = may("macros:run") ? undefined : "You may not change many tickets (macros:run).";
  const take = (): void => setPlan(planActs("Take", [{ act: "take" }], ids));
  useActions(
    ids.length === 0
      ? []
      : [
          { keys: "t", label: "Take the selected tickets", run: take, disabled: refusal },
          ...macros.slice(0, KEYS_MAX).map((macro, n) => ({
            keys: `${n + 1}`,
            label: `${macro.name} (selected tickets)`,
            run: () => setPlan(planMacro(macro, ids)),
            disabled: refusal,
          })),
        ],
  );
  if (ids.length === 0) return null;
  const disabled = refusal !== undefined;
  return (
    <div className="bulk" role="toolbar" aria-label="Selected tickets">
      <span className="grow">{count(ids.length, "ticket")} selected</span>
      <button className="btn" disabled={disabled} title={refusal} onClick={take}>
        <Hand /> Take
      </button>
      <MergeButton tickets={chosen} onDone={onClear} />
      <Menu
        label="Assign to a team"
        className="btn icon"
        items={teams.map(({ id, name }) => ({
          label: name,
          disabled: refusal,
          onPick: () => setPlan(planActs(`To ${name}`, [{ act: "set", set: { teamId: id } }], ids)),
        }))}
      >
        <UsersRound />
      </Menu>
      <Menu
        label="Tag"
        className="btn icon"
        items={(tags.data?.data.tags ?? []).map(({ tag }) => ({
          label: tag,
          disabled: refusal,
          onPick: () => setPlan(planActs(`Tag ${tag}`, [{ act: "tag", add: [tag] }], ids)),
        }))}
      >
        <Tag />
      </Menu>
      <Menu
        label="Macros"
        className="btn icon"
        items={macros.map((macro, n) => ({
          label: macro.name,
          ...(n < KEYS_MAX && { keys: `${n + 1}` }),
          disabled: refusal,
          onPick: () => setPlan(planMacro(macro, ids)),
        }))}
      >
        <WandSparkles />
      </Menu>
      <button className="btn bare icon" aria-label="Clear the selection" onClick={onClear}>
        <X />
      </button>
      {plan && (
        <ActPreview
          plan={plan}
          onClose={() => setPlan(undefined)}
          onDone={() => {
            setPlan(undefined);
            onClear();
            for (const kind of new Set(chosen.map((row) => row.kind))) refreshTickets(kind);
          }}
        />
      )}
    </div>
  );
}
