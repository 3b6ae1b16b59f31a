import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from "react";
import { useMay } from "../../data/people.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { type Area, AREAS, type Screen, screenAt, SCREENS } from "../areas.ts";
import { useOffer } from "../offer.ts";
import { arrange, type Arrangement } from "./arrangement.ts";
import { Branch, type Leaf } from "./branch.tsx";
import { useArrangement } from "./use-arrangement.ts";

const EntryMenu = lazy(async () => ({ default: (await import("./entry-menu.tsx")).EntryMenu }));

/** An area, or a screen that the user pinned. */
interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly icon: Screen["icon"];
  readonly isUsed: boolean;
  /** The screens available to the user. */
  readonly screens: readonly [Screen, ...Screen[]];
}

/** Returns the user's menu: at most nine entries, the rest under "More". */
export function useEntries() {
  const isOffered = useOffer();
  const may = useMay();
  const [arrangement, onArrange] = useArrangement();
  const areas = AREAS.flatMap(({ screens, work, ...area }: Area): readonly Candidate[] => {
    const [main, ...others] = screens.filter(isOffered);
    return main ? [{ ...area, isUsed: may(work), screens: [main, ...others] }] : [];
  });
  const pinned = SCREENS.filter((one) => arrangement.pinned.includes(one.to) && isOffered(one)).map(
    (one): Candidate => ({ ...one, id: one.to, isUsed: true, screens: [one] }),
  );
  return { ...arrange([...areas, ...pinned], arrangement), arrangement, onArrange };
}

/** The areas available to the user, each with its screens. */
export function AreaList({ path }: { readonly path: string }) {
  const { first, more, arrangement, onArrange } = useEntries();
  const { box, follow } = useFocusAfter(arrangement);
  const [isMore, setMore] = useState<boolean>();
  const restId = useId();
  const here = screenAt(path);
  const ids = first.map(({ id }) => id);
  // A pinned screen is marked as the current page instead of its area.
  const own = here && ids.includes(here.to) ? here.to : undefined;
  const isPart = ({ id, screens }: Candidate): boolean =>
    own === undefined ? screens.some((one) => one === here) : id === own;
  const menuOf = (id: string, label: string) => (
    <Suspense fallback={<span className="nav-more" />}>
      <EntryMenu
        id={id}
        label={label}
        arrangement={arrangement}
        onArrange={(next, arranged) => {
          follow(arranged);
          onArrange(next);
        }}
        first={ids}
      />
    </Suspense>
  );
  const draw = (one: Candidate) => {
    const [main] = one.screens;
    const below = one.screens.filter(({ label }) => label !== one.label);
    const leaves = below.map((screen): Leaf => {
      const { to, label, icon } = screen;
      return {
        to,
        label,
        icon,
        isHere: own === undefined && screen === here,
        menu: menuOf(to, label),
      };
    });
    return (
      <Branch
        key={one.id}
        head={{ to: main.to, label: one.label, icon: one.icon, menu: menuOf(one.id, one.label) }}
        leaves={leaves}
        isHere={isPart(one)}
      />
    );
  };
  const isMoreOpen = isMore ?? more.some(isPart);
  return (
    <div ref={box}>
      <ul className="nav-first">{first.map(draw)}</ul>
      {more.length > 0 && (
        <div className="nav-rest">
          <PlainButton
            className="nav-item nav-all"
            aria-expanded={isMoreOpen}
            aria-controls={restId}
            title="More"
            onClick={() => setMore(!isMoreOpen)}
          >
            <Ellipsis className="ico" />
            <span className="nav-label grow">More</span>
          </PlainButton>
          <ul id={restId} hidden={!isMoreOpen}>
            {more.map(draw)}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Keeps the focus on a moved entry, also under "More". */
function useFocusAfter(arrangement: Arrangement) {
  const box = useRef<HTMLDivElement>(null);
  const arranged = useRef<string>(undefined);
  useLayoutEffect(() => {
    const id = arranged.current;
    arranged.current = undefined;
    if (id === undefined) return;
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>("[data-entry] button") ?? [])];
    const own = buttons.find(
      (one) =>
        one.offsetParent && one.closest<HTMLElement>("[data-entry]")?.dataset["entry"] === id,
    );
    (own ?? box.current?.querySelector<HTMLElement>(".nav-all"))?.focus();
  }, [arrangement]);
  const follow = (id: string): void => {
    arranged.current = id;
  };
  return { box, follow };
}
