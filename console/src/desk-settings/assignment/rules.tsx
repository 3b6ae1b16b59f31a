import { ArrowDown, ArrowUp } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { NEW, Shelf, useOpen } from "../frame/shelf.tsx";
import { RuleEditor } from "./rule-editor.tsx";
import { moveRule } from "./rule-order.ts";
import { type Rule, toRuleSentence } from "./rule-words.ts";
import { Button } from "../../ui/form/button.tsx";

const SHOWN = 200;

/** Assignment rules in order: the first matching rule assigns the ticket. */
export function AssignmentRules() {
  const { data, error, isPending, refetch } = useOp("assignment_rules.list", {
    query: { limit: SHOWN, sort: "position" },
  });
  const [open] = useOpen();
  const nameOf = useRuleNames();
  const refusal = useRefusal("assignment_rules.update");
  const rules = data?.data ?? [];
  const rule = rules.find(({ id }) => id === open);
  const at = rules.findIndex(({ id }) => id === open);
  const move = (by: number): void => {
    if (rule) void moveTo(rules, rule, by);
  };
  useActions([
    {
      keys: "alt+ArrowUp",
      label: "Move rule up",
      run: () => move(-1),
      disabled: refusal ?? (at > 0 ? undefined : "Select a rule that is not the first."),
    },
    {
      keys: "alt+ArrowDown",
      label: "Move rule down",
      run: () => move(1),
      disabled:
        refusal ??
        (at !== -1 && at < rules.length - 1 ? undefined : "Select a rule that is not the last."),
    },
  ]);
  return (
    <Shelf
      label="Rules"
      make="New rule"
      refusal={refusal}
      nothing="Rules assign new tickets automatically: round robin, by load or by on-call schedule. Add a rule to start."
      items={rules.map((one, n) => ({
        id: one.id,
        label: `${n + 1}. ${one.name}`,
        about: toRuleSentence(one, nameOf),
        mark: !one.active && <span className="tag idle">Disabled</span>,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {rule && refusal === undefined && rules.length > 1 && (
        <p className="rule-order">
          <span className="muted">
            Rule {at + 1} of {rules.length}. The first matching rule assigns the ticket.
          </span>
          <Button
            look="bare"
            isIcon
            aria-label="Move rule up"
            disabled={at === 0}
            onClick={() => move(-1)}
          >
            <ArrowUp />
          </Button>
          <Button
            look="bare"
            isIcon
            aria-label="Move rule down"
            disabled={at === rules.length - 1}
            onClick={() => move(1)}
          >
            <ArrowDown />
          </Button>
        </p>
      )}
      {(rule || open === NEW) && (
        <RuleEditor
          key={open}
          rule={rule}
          position={(rules.at(-1)?.position ?? 0) + 10}
          nameOf={nameOf}
        />
      )}
    </Shelf>
  );
}

async function moveTo(rules: readonly Rule[], rule: Rule, by: number): Promise<void> {
  for (const { id, position } of moveRule(rules, rule.id, by)) {
    const input = { params: { id }, body: { position } };
    if (!(await perform("assignment_rules.update", input))) return;
  }
}

function useRuleNames(): ReturnType<typeof useNames> {
  const nameOf = useNames();
  const may = useMay();
  const schedules = useOp(
    "on_call_schedules.list",
    { query: { limit: SHOWN } },
    { enabled: may("on_call_schedules.list") },
  ).data?.data;
  return (id) => nameOf(id) ?? schedules?.find((one) => one.id === id)?.name;
}
