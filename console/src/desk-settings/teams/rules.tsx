import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Select } from "../../ui/form/controls.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";

const LEVELS = ["High", "Medium", "Low"] as const;

/** Priority by impact and urgency, and when resolved tickets are closed. */
export function DeskRules() {
  const { data, error, refetch } = useOp("desk.get_settings");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  return (
    <div className="settings-scroll scroll">
      <RulesEditor settings={data.data} />
    </div>
  );
}

const toInitial = ({ priorityMatrix, autoCloseDays }: Schemas["DeskSettings"]) => ({
  priorityMatrix,
  autoCloseDays,
});

function RulesEditor({ settings }: { readonly settings: Schemas["DeskSettings"] }) {
  const form = useForm("desk.update_settings", {
    initial: toInitial(settings),
    version: versionOf("desk.get_settings", {}, ({ data }) => toInitial(data)),
    said: "Priorities saved",
  });
  const matrix = form.values.priorityMatrix ?? [];
  const set = (row: number, column: number, priority: number): void =>
    form.change({
      priorityMatrix: matrix.map((line, y) =>
        line.map((one, x) => (y === row && x === column ? priority : one)),
      ),
    });
  return (
    <FormPanel form={form} label="Priority matrix" hasTitle>
      <table className="priority-matrix">
        <caption className="hide">Priority by impact and urgency</caption>
        <thead>
          <tr>
            <th scope="col">Impact</th>
            {LEVELS.map((level) => (
              <th key={level} scope="col">
                Urgency {level.toLowerCase()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((line, row) => (
            <tr key={LEVELS[row]}>
              <th scope="row">{LEVELS[row]}</th>
              {line.map((priority, column) => (
                <td key={column}>
                  <Select
                    isBare
                    className={`field prio-${priority}`}
                    aria-label={`Impact ${LEVELS[row]}, urgency ${LEVELS[column]}`}
                    value={priority}
                    disabled={form.refusal !== undefined}
                    onChange={({ target }) => set(row, column, Number(target.value))}
                  >
                    {[1, 2, 3, 4, 5].map((n) => (
                      <option key={n} value={n}>
                        P{n}
                      </option>
                    ))}
                  </Select>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <NumberField
        {...form.field("autoCloseDays")}
        label="Days until a resolved incident is closed"
        help="0: never. Applies to tickets that are created or changed after you save."
      />
    </FormPanel>
  );
}
