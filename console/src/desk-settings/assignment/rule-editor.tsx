import { ASSIGNMENT_RULE_METHOD, ASSIGNMENT_RULE_ON } from "@millrace/client/enums";
import { useOp } from "../../data/api.ts";
import { type Form, useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TeamField } from "../../data/options/search-field.tsx";
import { useMay } from "../../data/people.ts";
import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { ConditionField } from "../../sla/index.ts";
import { CheckField, ChoicesField, SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { PeopleField } from "../frame/people-field.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { newRule, type RuleDraft, toRuleDraft } from "./rule-draft.ts";
import { RuleTrial } from "./rule-trial.tsx";
import { type Rule, toRuleSentence } from "./rule-words.ts";

const METHODS = choicesOf(ASSIGNMENT_RULE_METHOD, {
  round_robin: "Round robin",
  least_load: "Member with the fewest open tickets",
  fixed: "First available person",
  on_call: "Member on call",
  team: "Team only, no assignee",
});

const CAUSES = choicesOf(ASSIGNMENT_RULE_ON, {
  created: "is created",
  reopened: "is reopened while its assignee is absent",
  team_changed: "moves to another team",
});

interface RuleEditorProps {
  readonly rule: Rule | undefined;
  /** The position of a new rule: after all others. */
  readonly position: number;
  readonly nameOf: (id: string | null | undefined) => string | undefined;
}

/** Edits a rule and shows its description. */
export function RuleEditor({ rule, position, nameOf }: RuleEditorProps) {
  const [, setOpen] = useOpen();
  const form = useForm<RuleOperation, RuleDraft>(
    rule ? "assignment_rules.update" : "assignment_rules.create",
    {
      params: { id: rule?.id ?? "" },
      initial: rule ? toRuleDraft(rule) : newRule(position),
      version: revisionOf(rule),
      said: ({ data }) => `${data.name} saved`,
      onDone: ({ data }) => {
        if (!rule) setOpen(data.id);
      },
    },
  );
  const { values: draft, field } = form;
  return (
    <EditorPanel
      form={form}
      thing={rule}
      title={rule?.name ?? "New rule"}
      remove="assignment_rules.delete"
      consequence="Tickets that were assigned by this rule keep their assignee."
      onRemoved={() => setOpen(undefined)}
      aside={<RuleTrial draft={draft} ruleId={rule?.id} nameOf={nameOf} />}
    >
      <p className="rule-sentence">{toRuleSentence(draft, nameOf)}</p>
      <Grid min="m">
        <TextField {...field("name")} />
        <SelectField {...field("entity")} label="Ticket type" options={TICKET_KINDS} />
      </Grid>
      <ConditionField
        {...field("conditions")}
        label="Conditions"
        nothing="All tickets."
        entity={draft.entity}
      />
      <Receivers form={form} />
      <ChoicesField {...field("on")} label="Run when a ticket" options={CAUSES} />
      <CheckField {...field("active")} label="Enabled" />
    </EditorPanel>
  );
}

type RuleOperation = "assignment_rules.create" | "assignment_rules.update";

/** The recipients of the ticket: the method and its candidates. */
function Receivers({ form }: { readonly form: Form<RuleDraft> }) {
  const { values: draft, field } = form;
  const may = useMay();
  const schedules = useOp(
    "on_call_schedules.list",
    { query: { limit: 200 } },
    { enabled: may("on_call_schedules.list") },
  ).data?.data;
  const choose = (method: RuleDraft["method"] | null | undefined): void =>
    form.change({
      method: method ?? draft.method,
      scheduleId: method === "on_call" ? (schedules?.[0]?.id ?? null) : null,
    });
  const people = draft.method === "fixed" ? "People, in order" : "People";
  return (
    <>
      <Grid min="m">
        <SelectField {...field("method")} label="Assign to" options={METHODS} onChange={choose} />
        <TeamField {...field("teamId")} label="Team" placeholder="Team of the ticket" />
        {draft.method === "on_call" && (
          <SelectField
            {...field("scheduleId")}
            label="Schedule"
            options={(schedules ?? []).map(({ id, name }) => [id, name] as const)}
            isRequired
          />
        )}
      </Grid>
      {draft.method !== "team" && draft.method !== "on_call" && (
        <PeopleField
          label={people}
          userIds={draft.userIds}
          onChange={(userIds) => form.change({ userIds })}
          isOrdered={draft.method === "fixed"}
          help={draft.method === "fixed" ? "" : "Default: all members of the team"}
          error={field("userIds").errorFor(people)}
        />
      )}
    </>
  );
}
