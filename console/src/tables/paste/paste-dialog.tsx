/** Shows unwritable values and ambiguous dates, so that the user decides before the change is sent. */
import { SOURCE_COLUMN_DATE_ORDER } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import "./paste-dialog.css";
import { useState } from "react";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { count } from "../../ui/words.ts";
import { type DateOrder, readDay } from "../column/value.ts";
import type { Problem } from "./paste.ts";
import { Button } from "../../ui/form/button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";

const SHOWN = 100;
const ORDERS = choicesOf(SOURCE_COLUMN_DATE_ORDER, { dmy: "Day first", mdy: "Month first" });

interface PasteDialogProps {
  readonly problems: readonly Problem[];
  readonly openDate: string | undefined;
  readonly cells: number;
  readonly onDecide: (order: DateOrder | undefined) => void;
  readonly onClose: () => void;
}

export function PasteDialog({ problems, openDate, cells, onDecide, onClose }: PasteDialogProps) {
  const [order, setOrder] = useState<DateOrder>();
  const refused = problems.reduce((sum, one) => sum + one.cells, 0);
  const isOpen = openDate !== undefined && order === undefined;
  const left = Math.max(0, cells - refused);
  return (
    <Dialog
      title={
        openDate === undefined
          ? `${count(refused, "cell")} can't be pasted`
          : "Select the date order"
      }
      isWide
      onClose={onClose}
      onSubmit={() => {
        if (!isOpen && left > 0) onDecide(order);
      }}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" type="submit" disabled={isOpen || left === 0}>
            {problems.length === 0 ? "Continue" : `Paste the other ${left.toLocaleString("en")}`}
          </Button>
        </>
      }
    >
      {openDate !== undefined && (
        <fieldset className="paste-order">
          <legend>Dates such as “{openDate}” are ambiguous. Nothing is pasted yet.</legend>
          {ORDERS.map(([value, label]) => (
            <label key={value}>
              <RadioButton
                name="date-order"
                checked={order === value}
                onChange={() => setOrder(value)}
              />{" "}
              {label}: {readDay(openDate, value) ?? "not a date"}
            </label>
          ))}
        </fieldset>
      )}
      {problems.length > 0 && (
        <>
          <p>Nothing is pasted yet. You can skip these cells:</p>
          <table className="paste-problems">
            <thead>
              <tr>
                <th scope="col">Row</th>
                <th scope="col">Column</th>
                <th scope="col">Value</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {problems.slice(0, SHOWN).map(({ row, column, text, message, cells: size }, n) => (
                <tr key={n}>
                  <td>{row?.toLocaleString("en") ?? `${size.toLocaleString("en")} cells`}</td>
                  <td>{column}</td>
                  <td className="cut">{text}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {problems.length > SHOWN && (
            <p>And {(problems.length - SHOWN).toLocaleString("en")} more.</p>
          )}
        </>
      )}
    </Dialog>
  );
}
