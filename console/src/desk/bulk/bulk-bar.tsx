import { Check, Ellipsis, Hand, Tag, WandSparkles, X } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import type { HeldRow } from "../queue/hold.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { ActPreview, type PlannedAct } from "./act-preview.tsx";
import { BULK_ACTS, type BulkAct } from "./bulk-acts.ts";
import { MergeButton } from "./merge-dialog.tsx";
import { planAct, planMacro, planSteps, useMacros } from "./use-macros.ts";
import { Button } from "../../ui/form/button.tsx";

const KEYS_MAX = 9;
/** Actions with their own button; the others are in the menu. */
const BUTTONS: Readonly<Record<string, typeof Hand>> = { take: Hand, resolve: Check };

interface BulkBarProps {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly selection: Selection;
  readonly onClear: () => void;
}

/** The actions for the selected tickets; each shows a dry run first. */
export function BulkBar({ rows, selection, onClear }: BulkBarProps) {
  const [plan, setPlan] = useState<PlannedAct>();
  const chosen = rows.filter(({ row }) => selection.ids.has(row.id)).map(({ row }) => row);
  const ids = chosen.map(({ id }) => id);
  const kinds = [...new Set(chosen.map(({ kind }) => kind))];
  const refresh = (): void => kinds.forEach((kind) => refreshTickets(kind));
  // The dialog is rendered even if the selection becomes empty: tickets may leave the view while it is open.
  return (
    <>
      {ids.length > 0 && <Bar {...{ chosen, ids, onClear }} onPlan={setPlan} />}
      {plan && (
        <ActPreview
          plan={plan}
          onClose={() => setPlan(undefined)}
          onDone={() => {
            setPlan(undefined);
            onClear();
            refresh();
          }}
          onUndone={refresh}
        />
      )}
    </>
  );
}

interface BarProps {
  readonly chosen: readonly QueueTicket[];
  readonly ids: readonly string[];
  readonly onClear: () => void;
  readonly onPlan: (plan: PlannedAct) => void;
}

function Bar({ chosen, ids, onClear, onPlan }: BarProps) {
  const may = useMay();
  const refusalOf = useRefusals();
  const macros = useMacros();
  const tags = useOp(
    "tickets.list_tags",
    { query: { limit: 20 } },
    { enabled: may("tickets.list_tags") },
  );
  const refusal = refusalOf("macros.run");
  const begin = (act: BulkAct): void => onPlan(planAct(act, ids));
  const take = BULK_ACTS.find(({ id }) => id === "take");
  useActions([
    ...BULK_ACTS.map((act) => ({
      ...(act.keys !== undefined && { keys: act.keys }),
      label: act.title("the selected tickets"),
      run: () => begin(act),
      disabled: refusal,
    })),
    ...(take
      ? [{ keys: "a", label: take.label, run: () => begin(take), disabled: refusal, hidden: true }]
      : []),
    ...macros.slice(0, KEYS_MAX).map((macro, n) => ({
      keys: `${n + 1}`,
      label: `${macro.name} (selected tickets)`,
      run: () => onPlan(planMacro(macro, ids)),
      disabled: refusal,
    })),
  ]);
  return (
    <div className="bulk" role="toolbar" aria-label="Selected tickets" data-toasts-above>
      <span className="grow cut" role="status">
        {ids.length} selected
      </span>
      {BULK_ACTS.map((act) => {
        const Icon = BUTTONS[act.id];
        const label = act.label.replace("…", "");
        return (
          Icon && (
            <Button
              isIcon
              key={act.id}
              aria-label={label}
              title={refusal ?? `${label} (${act.keys ?? ""})`}
              disabled={refusal !== undefined}
              onClick={() => begin(act)}
            >
              <Icon />
            </Button>
          )
        );
      })}
      <MergeButton tickets={chosen} onDone={onClear} />
      <Menu
        label="Tag"
        className="btn icon"
        items={(tags.data?.data.tags ?? []).map(({ tag }) => ({
          label: tag,
          disabled: refusal,
          onPick: () => onPlan(planSteps(`Tag ${tag}`, [{ act: "tag", add: [tag] }], ids)),
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
          onPick: () => onPlan(planMacro(macro, ids)),
        }))}
      >
        <WandSparkles />
      </Menu>
      <Menu
        label="More actions"
        className="btn icon"
        items={BULK_ACTS.filter(({ id }) => BUTTONS[id] === undefined).map((act) => ({
          label: act.label,
          ...(act.keys !== undefined && { keys: act.keys }),
          disabled: refusal,
          onPick: () => begin(act),
        }))}
      >
        <Ellipsis />
      </Menu>
      <Button
        look="bare"
        isIcon
        aria-label="Clear selection"
        title="Clear selection (Escape)"
        onClick={onClear}
      >
        <X />
      </Button>
    </div>
  );
}
