import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useMay } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { toneOf } from "../ui/state.tsx";
import { PlainButton } from "../ui/form/button.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";
import { TextField } from "../ui/form/text-field.tsx";

const SHOWN = 100;

/** Reports of the same incident as chips, and a field to add one by number. */
export function Children(props: {
  readonly id: string;
  readonly total: number;
  readonly isMajor: boolean;
}) {
  const { id, total, isMajor } = props;
  const may = useMay();
  const { data } = useOp("incidents.list_children", { params: { id }, query: { limit: SHOWN } });
  const children = data?.data ?? [];
  const mayChange = may("incidents.remove_child") && isMajor;
  return (
    <section>
      <h2>
        Child incidents <span className="muted">{total}</span>
      </h2>
      <ul className="room-children" aria-label="Child incidents">
        {children.map((child) => (
          <li key={child.id} className={`room-child ${toneOf(child.state)}`}>
            <Link to="/tickets/$reference" params={{ reference: child.number }} title={child.title}>
              <i />
              <span className="cut">{child.title}</span>
            </Link>
            {mayChange && (
              <PlainButton
                aria-label={`Remove ${child.number}`}
                onClick={() =>
                  void perform("incidents.remove_child", { params: { id, childId: child.id } })
                }
              >
                <X />
              </PlainButton>
            )}
          </li>
        ))}
        {total > children.length && <li className="muted">and {total - children.length} more</li>}
      </ul>
      {mayChange && <AddChild id={id} />}
    </section>
  );
}

function AddChild({ id }: { readonly id: string }) {
  const form = useForm("incidents.add_child", { params: { id }, startsOver: true });
  const { onChange, ...field } = form.field("incidentId");
  return (
    <InlineForm form={form} label="Add child incident" act="Add incident" isLine>
      <TextField
        {...field}
        label="Number of the child incident"
        hidesLabel
        placeholder="INC…"
        onChange={(number) => onChange(number?.toUpperCase())}
      />
    </InlineForm>
  );
}
