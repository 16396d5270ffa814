
"use strict";
for (const button of document.querySelectorAll("th > button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const index = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const key = (row) => {
      const cell = row.children[index];
      return "key" in cell.dataset ? Number(cell.dataset.key) : cell.textContent;
    };
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const order = typeof x === "number" ? x - y : x.localeCompare(y);
      return down ? -order : order;
    };
    body.append(...[...body.rows].sort(compare));
  });
}
