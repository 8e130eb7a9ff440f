// Drawings: SVG elements, and colours of the look for canvases.

/** A new SVG element. */
export function drawn<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** Colours by their names in look.css, as they are now: `colours(['ink'])`. Canvases know no variables. They are others after the event `theme`. */
export function colours<K extends string>(names: readonly K[]): Record<K, string> {
  const probe = document.body.appendChild(document.createElement('span'));
  const colourOf = (name: K): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const all = Object.fromEntries(names.map((name) => [name, colourOf(name)])) as Record<K, string>;
  probe.remove();
  return all;
}
