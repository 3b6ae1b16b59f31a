import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { ASSIGNMENT_RULE_METHOD, ASSIGNMENT_RULE_ON } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { call, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { ConditionField } from "../../sla/index.ts";
import { CheckField, EditorForm, NameField, SelectField } from "../frame/editor-form.tsx";
import { PeopleField } from "../frame/people-field.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { TeamSelect } from "../frame/team-select.tsx";
import { type Editor, useEditor } from "../frame/use-editor.ts";
import type { RuleDraft } from "./rule-draft.ts";
import { RuleTrial } from "./rule-trial.tsx";
import { type Rule, toRuleSentence } from "./rule-words.ts";

const METHODS = choicesOf(ASSIGNMENT_RULE_METHOD, {
  round_robin: "In turn",
  least_load: "Who has the fewest open tickets",
  fixed: "The first who is there",
  on_call: "Who is on call",
  team: "Nobody: the team takes it",
});

const CAUSES = choicesOf(ASSIGNMENT_RULE_ON, {
  created: "is made",
  reopened: "is reopened, and its assignee is not there",
  team_changed: "goes to another team",
});

interface RuleEditorProps {
  readonly rule: Rule | undefined;
  readonly refusal: string | undefined;
  /** The place of a new one: after all others. */
  readonly position: number;
  readonly nameOf: (id: string | null | undefined) => string | undefined;
}

/** A rule and its sentence. */
export function RuleEditor({ rule, refusal, position, nameOf }: RuleEditorProps) {
  const editor = useRuleEditor({ rule, refusal, position });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={rule?.name ?? "New rule"}
      editor={editor}
      consequence="Tickets that it gave away stay where they are."
      aside={<RuleTrial draft={draft} ruleId={rule?.id} nameOf={nameOf} />}
    >
      <p className="rule-sentence">{toRuleSentence(draft, nameOf)}</p>
      <div className="editor-columns">
        <NameField {...editor} />
        <SelectField
          label="For"
          value={draft.entity}
          options={TICKET_KINDS}
          onChange={(entity) => change({ entity })}
        />
      </div>
      <ConditionField
        label="Which tickets"
        nothing="All of them."
        entity={draft.entity}
        value={draft.conditions}
        onChange={(conditions) => change({ conditions: { ...conditions } })}
        error={errorOf("/conditions")}
      />
      <Receivers editor={editor} />
      <fieldset className="rule-causes">
        <legend>It is asked when a ticket</legend>
        {CAUSES.map(([cause, words]) => (
          <CheckField
            key={cause}
            label={words}
            isOn={draft.on.includes(cause)}
            onChange={(isOn) =>
              change({
                on: CAUSES.map(([one]) => one).filter((one) =>
                  one === cause ? isOn : draft.on.includes(one),
                ),
              })
            }
          />
        ))}
        {errorOf("/on") && <p className="field-error">{errorOf("/on")}</p>}
      </fieldset>
      <CheckField label="On" isOn={draft.active} onChange={(active) => change({ active })} />
    </EditorForm>
  );
}

/** The receivers of a ticket: the method, and what it chooses from. */
function Receivers({ editor }: { readonly editor: Editor<RuleDraft> }) {
  const { draft, change, errorOf } = editor;
  const may = useMay();
  const schedules = useOp(
    "on_call_schedules.list",
    { query: { limit: 200 } },
    { enabled: may("on_call_schedules.list") },
  ).data?.data;
  const choose = (method: RuleDraft["method"]): void =>
    change({
      method,
      scheduleId: method === "on_call" ? (schedules?.[0]?.id ?? null) : null,
    });
  return (
    <>
      <div className="editor-columns">
        <SelectField
          label="Assign to"
          value={draft.method}
          options={METHODS}
          onChange={choose}
          error={errorOf("/method")}
        />
        <TeamSelect
          label="Team"
          none="As the ticket has it"
          value={draft.teamId}
          onChange={(teamId) => change({ teamId })}
        />
        {draft.method === "on_call" && (
          <SelectField
            label="Schedule"
            value={draft.scheduleId ?? ""}
            options={[
              ...(draft.scheduleId === null ? [["", "None yet"] as const] : []),
              ...(schedules ?? []).map(({ id, name }) => [id, name] as const),
            ]}
            onChange={(id) => change({ scheduleId: id === "" ? null : id })}
            error={errorOf("/scheduleId")}
          />
        )}
      </div>
      {errorOf("/teamId") && <p className="field-error">{errorOf("/teamId")}</p>}
      {draft.method !== "team" && draft.method !== "on_call" && (
        <PeopleField
          label={draft.method === "fixed" ? "In this order" : "Of these people"}
          userIds={draft.userIds}
          onChange={(userIds) => change({ userIds })}
          isOrdered={draft.method === "fixed"}
          help={draft.method === "fixed" ? "" : "The members of the team where nobody is named."}
          error={errorOf("/userIds")}
        />
      )}
    </>
  );
}

function useRuleEditor({
  rule,
  refusal,
  position,
}: Omit<RuleEditorProps, "nameOf">): Editor<RuleDraft> {
  const [, setOpen] = useOpen();
  return useEditor<RuleDraft>({
    initial: {
      name: rule?.name ?? "",
      entity: rule?.entity ?? "incident",
      position: rule?.position ?? position,
      conditions: rule?.conditions ?? {},
      on: rule?.on ?? ["created"],
      method: rule?.method ?? "round_robin",
      teamId: rule?.teamId ?? null,
      userIds: rule?.userIds ?? [],
      scheduleId: rule?.scheduleId ?? null,
      active: rule?.active ?? true,
    },
    revision: rule?.revision,
    stale: "assignment_rules.",
    refusal,
    save: async (draft, ifMatch) => {
      const params = { id: rule?.id ?? "" };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return rule
        ? (await call("assignment_rules.update", { params, body: draft }, options)).data
        : (await call("assignment_rules.create", { body: draft })).data;
    },
    remove: () => call("assignment_rules.delete", { params: { id: rule?.id ?? "" } }),
    onOpen: setOpen,
  });
}
