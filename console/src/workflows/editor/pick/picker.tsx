import "./picker.css";
import { Fragment, type KeyboardEvent, useState } from "react";
import { useModal } from "../../../ui/overlay/modal.ts";
import { Keys } from "../../../ui/key.tsx";
import { type Offer, useOffers } from "./offers.ts";
import { PlainButton } from "../../../ui/form/button.tsx";
import { TextInput } from "../../../ui/form/controls.tsx";

const LIST = "picker-list";
const SIZE = { width: 392, height: 440 } as const;
const EDGE = 12;

interface PickerProps {
  readonly workflowId: string;
  readonly at: { readonly x: number; readonly y: number };
  readonly title: string;
  readonly ways: readonly string[];
  readonly onPick: (offer: Offer, way: string | undefined) => void;
  readonly onClose: () => void;
}

/**
 * The step picker, opened next to a step. Letters filter, Enter adds, and ← → select the output if there are
 * several.
 */
export function Picker({ workflowId, at, title, ways, onPick, onClose }: PickerProps) {
  const dialog = useModal();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [way, setWay] = useState(0);
  const found = useOffers(workflowId, text);
  const turn = (now: number, by: number, size: number): number =>
    (now + by + size) % Math.max(1, size);
  const onKeyDown = (event: KeyboardEvent): void => {
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (down !== undefined) {
      const next = turn(chosen, down, found.length);
      setChosen(next);
      document.getElementById(`offer-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (aside !== undefined && ways.length > 1 && text === "") {
      setWay(turn(way, aside, ways.length));
    } else if (event.key === "Enter") {
      const offer = found[chosen];
      if (offer) onPick(offer, ways[way]);
    } else if (event.key !== "Tab") return;
    event.preventDefault();
  };
  const left = Math.max(EDGE, Math.min(at.x, innerWidth - SIZE.width));
  const top = Math.max(EDGE, Math.min(at.y, innerHeight - SIZE.height));
  return (
    <dialog
      ref={dialog}
      className="picker"
      aria-label="Add step"
      style={{ left, top }}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <TextInput
        isBare
        className="picker-find"
        data-focus
        placeholder={title}
        aria-label={title}
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={found.length > 0 ? `offer-${chosen}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      {ways.length > 1 && (
        <div className="picker-ways" role="radiogroup" aria-label="Output">
          {ways.map((one, n) => (
            <PlainButton
              key={one}
              role="radio"
              tabIndex={-1}
              aria-checked={n === way}
              className={one === "error" ? "on-error" : ""}
              onClick={() => setWay(n)}
            >
              {one}
            </PlainButton>
          ))}
        </div>
      )}
      <Offers
        found={found}
        chosen={chosen}
        isGrouped={text === ""}
        onChoose={setChosen}
        onPick={(offer) => onPick(offer, ways[way])}
      />
      <footer className="picker-foot">
        <Keys keys="ArrowUp ArrowDown" /> select{" "}
        {ways.length > 1 && (
          <>
            <Keys keys="ArrowLeft ArrowRight" /> output{" "}
          </>
        )}
        <Keys keys="Enter" /> add <Keys keys="Escape" /> close
      </footer>
    </dialog>
  );
}

function Offers(props: {
  readonly found: readonly Offer[];
  readonly chosen: number;
  readonly isGrouped: boolean;
  readonly onChoose: (n: number) => void;
  readonly onPick: (offer: Offer) => void;
}) {
  const { found, chosen, isGrouped } = props;
  return (
    <div id={LIST} role="listbox" aria-label="Steps" className="scroll picker-list" tabIndex={-1}>
      {found.map((offer, n) => {
        const { icon: Icon, id, title, line, group, tone } = offer;
        const isFirst = isGrouped && found[n - 1]?.group !== group;
        return (
          <Fragment key={id}>
            {isFirst && <h3 role="presentation">{group}</h3>}
            <div
              id={`offer-${n}`}
              role="option"
              aria-selected={n === chosen}
              className="offer"
              onMouseMove={() => n !== chosen && props.onChoose(n)}
              onClick={() => props.onPick(offer)}
            >
              <span className={`step-icon k-${tone}`}>
                <Icon />
              </span>
              <span className="step-text">
                <b className="cut">{title}</b>
                <span className="cut">{line}</span>
              </span>
              {!isGrouped && <span className="offer-group">{group}</span>}
            </div>
          </Fragment>
        );
      })}
      {found.length === 0 && (
        <p className="muted picker-none">
          No matching steps. Use a <b>script</b> for custom logic.
        </p>
      )}
    </div>
  );
}
