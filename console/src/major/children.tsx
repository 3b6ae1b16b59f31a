import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { useMay } from "../data/people.ts";
import { toneOf } from "../ui/state.tsx";
import { notify } from "../ui/toast.tsx";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const SHOWN = 100;

/** The reports of the same trouble, as chips, and a field that adds one by its number. */
export function Children(props: {
  readonly id: string;
  readonly total: number;
  readonly isMajor: boolean;
}) {
  const { id, total, isMajor } = props;
  const may = useMay();
  const [number, setNumber] = useState("");
  const { data } = useOp("incidents.list_children", { params: { id }, query: { limit: SHOWN } });
  const children = data?.data ?? [];
  const change = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
      setNumber("");
    } catch (error) {
      notify(describeRefusal(error));
    }
  };
  const mayChange = may("incidents.remove_child") && isMajor;
  return (
    <section>
      <h2>
        Reports <span className="muted">{total}</span>
      </h2>
      <ul className="room-children" aria-label="Reports">
        {children.map((child) => (
          <li key={child.id} className={`room-child ${toneOf(child.state)}`}>
            <Link to="/tickets/$reference" params={{ reference: child.number }} title={child.title}>
              <i />
              <span className="cut">{child.title}</span>
            </Link>
            {mayChange && (
              <PlainButton
                aria-label={`Take ${child.number} out`}
                onClick={() =>
                  void change(call("incidents.remove_child", { params: { id, childId: child.id } }))
                }
              >
                <X />
              </PlainButton>
            )}
          </li>
        ))}
        {total > children.length && <li className="muted">and {total - children.length} more</li>}
      </ul>
      {mayChange && (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            const incidentId = number.trim().toUpperCase();
            if (incidentId !== "") {
              void change(call("incidents.add_child", { params: { id }, body: { incidentId } }));
            }
          }}
        >
          <TextInput
            className="grow"
            aria-label="Add a report by its number"
            placeholder="INC…"
            value={number}
            onChange={({ target }) => setNumber(target.value)}
          />
          <Button disabled={number.trim() === ""}>Add</Button>
        </form>
      )}
    </section>
  );
}
