/** Normalizes a text for comparison: lower case without diacritics, so that "ilkay" finds İlkay. */
export function foldText(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Returns the positions of matches in the original text: normalization changes the length of some letters. */
export function findFolded(
  text: string,
  words: string,
): { readonly from: number; readonly to: number } | undefined {
  const wanted = foldText(words);
  if (wanted === "") return undefined;
  const places: number[] = [];
  let folded = "";
  let place = 0;
  for (const letter of text) {
    const plain = foldText(letter);
    folded += plain;
    for (let n = 0; n < plain.length; n += 1) places.push(place);
    place += letter.length;
  }
  const at = folded.indexOf(wanted);
  if (at < 0) return undefined;
  return { from: places[at] ?? 0, to: places[at + wanted.length] ?? text.length };
}
