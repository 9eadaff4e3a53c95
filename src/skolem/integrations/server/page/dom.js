// Small helpers for the elements of the page.

export const find = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// An SVG image from the server; scripts inside of one would not run, and none are made.
export function parseSvg(text, label) {
  const image = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  image.setAttribute("role", "img");
  image.setAttribute("aria-label", label);
  return image;
}
