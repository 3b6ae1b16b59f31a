import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { call, useOp } from "../../data/api.ts";
import {
  CheckField,
  type Editor,
  EditorForm,
  LineField,
  NameField,
  SelectField,
  useEditor,
} from "../../desk-settings/index.ts";
import { ConditionField } from "../condition/condition-field.tsx";
import { toSentence } from "../policy-words.ts";
import { type Policy, type PolicyDraft, toBody, toChange, toDraft } from "./policy-draft.ts";
import { SimulationPanel } from "./simulation-panel.tsx";
import { TargetList } from "./target-list.tsx";

interface PolicyEditorProps {
  readonly policy: Policy | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const OWN = "own";

/** A policy, its sentence, and what it would have made of the last quarter. */
export function PolicyEditor({ policy, refusal, onOpen }: PolicyEditorProps) {
  const editor = usePolicyEditor({ policy, refusal, onOpen });
  const { draft, change, errorOf } = editor;
  const calendars = useOp("business_calendars.list", { query: { limit: 200 } }).data?.data ?? [];
  return (
    <div className="sla-open scroll" tabIndex={0} role="region" aria-label="Policy">
      <EditorForm
        title={policy?.name ?? "New policy"}
        editor={editor}
        consequence="Its clocks that still go are cancelled; those of finished work are kept."
        aside={<SimulationPanel policy={policy} draft={draft} isChanged={editor.isChanged} />}
      >
        <p className="sla-sentence">{toSentence(draft)}</p>
        <div className="editor-columns">
          <NameField {...editor} />
          {!policy && (
            <SelectField
              label="For"
              value={draft.entity}
              options={TICKET_KINDS}
              onChange={(entity) =>
                change({ entity, pauseOn: entity === "incident" ? ["on_hold"] : [] })
              }
            />
          )}
        </div>
        <ConditionField
          label="Which tickets"
          entity={draft.entity}
          nothing="All of them."
          value={draft.conditions}
          onChange={(conditions) => change({ conditions })}
          error={errorOf("/conditions")}
        />
        <TargetList
          targets={draft.targets}
          onChange={(targets) => change({ targets })}
          errorOf={errorOf}
        />
        <div className="editor-columns">
          <SelectField
            label="When time counts"
            value={draft.calendarId ?? (draft.calendar ? OWN : "")}
            options={[
              ["", "Around the clock"],
              ...(draft.calendar ? [[OWN, "Hours of its own"] as const] : []),
              ...calendars.map(({ id, name }) => [id, name] as const),
            ]}
            onChange={(id) =>
              id !== OWN && change({ calendarId: id === "" ? null : id, calendar: null })
            }
          />
          <LineField
            label="Paused in the states"
            value={draft.pauseOn.join(", ")}
            onChange={(text) =>
              change({
                pauseOn: text
                  .split(",")
                  .map((one) => one.trim())
                  .filter(Boolean),
              })
            }
            error={errorOf("/pauseOn") ?? errorOf("/pauseOn/0")}
          />
          <LineField
            label="Warn at percent"
            value={draft.warnAtPercent}
            onChange={(text) => change({ warnAtPercent: text.replaceAll(/[^\d.]/g, "") })}
            error={errorOf("/warnAtPercent")}
          />
        </div>
        <CheckField
          label="It holds"
          isOn={draft.active}
          onChange={(active) => change({ active })}
        />
      </EditorForm>
    </div>
  );
}

function usePolicyEditor({ policy, refusal, onOpen }: PolicyEditorProps): Editor<PolicyDraft> {
  return useEditor<PolicyDraft>({
    initial: toDraft(policy),
    revision: policy?.revision,
    stale: "sla.",
    refusal,
    save: async (draft, ifMatch) => {
      const params = { id: policy?.id ?? "" };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return policy
        ? (await call("sla.update", { params, body: toChange(draft) }, options)).data
        : (await call("sla.create", { body: toBody(draft) })).data;
    },
    remove: () => call("sla.delete", { params: { id: policy?.id ?? "" } }),
    onOpen,
  });
}
