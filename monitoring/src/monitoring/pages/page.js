// Draws every chart of the page with the colours of its style sheet: again where these change, and for print.
(() => {
  const { series, charts } = JSON.parse(document.getElementById('charts').textContent)
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

  const theme = () => {
    const ink = colour('--soft')
    const range = Array.from({ length: 8 }, (_, place) => colour(`--series-${place + 1}`))
    return {
      background: 'transparent',
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      range: { category: range, heatmap: [colour('--shade'), range[0]], ramp: [colour('--shade'), range[0]] },
      axis: { labelColor: ink, titleColor: ink, gridColor: colour('--line'), domainColor: ink, tickColor: ink, titleFontWeight: 'normal' },
      legend: { labelColor: ink, titleColor: ink, orient: 'top', title: null, symbolLimit: 40 },
      header: { labelColor: ink, titleColor: ink },
      mark: { color: range[0] },
      rule: { color: ink },
      text: { color: ink }
    }
  }

  const draw = async (id) => {
    const place = document.getElementById(id)
    const spec = { ...charts[id], config: theme() }
    if (spec.width === 'container') spec.width = Math.max(280, place.clientWidth - 90)
    const compiled = vegaLite.compile(spec, { logger: vega.logger(vega.Error) }).spec
    place.textContent = ''
    await new vega.View(vega.parse(compiled), { renderer: 'svg', container: place, hover: true }).runAsync()
    place.dataset.drawn = 'true'
  }

  const csv = (rows) => {
    const names = [...new Set(rows.flatMap(Object.keys))]
    const field = (value) => /[",\n]/.test(value ?? '') ? `"${value.replaceAll('"', '""')}"` : value ?? ''
    return [names, ...rows.map((row) => names.map((name) => row[name]))].map((fields) => `${fields.map(field).join(',')}\n`).join('')
  }

  for (const button of document.querySelectorAll('button.csv')) {
    button.addEventListener('click', () => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([csv(charts[button.value].data.values)], { type: 'text/csv' }))
      link.download = `${button.value}.csv`
      link.click()
    })
  }

  // What is folded has no width to draw in yet.
  const visible = () => Object.keys(charts).filter((id) => document.getElementById(id).clientWidth > 0)
  const drawAll = () => Promise.all(visible().map(draw))

  for (const one of document.querySelectorAll('details')) one.addEventListener('toggle', drawAll)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll)
  addEventListener('resize', drawAll)
  addEventListener('beforeprint', () => { document.documentElement.classList.add('print'); drawAll() })
  addEventListener('afterprint', () => { document.documentElement.classList.remove('print'); drawAll() })

  // A table whose rows are chosen shows those with one value of a column; a click on a title sorts by its numbers, else its words.
  const field = (row, column) => row.cells[column].textContent.replaceAll(',', '')
  const order = (a, b) => {
    const [first, second] = [a, b].map((text) => (text.match(/[\d.]+/g) ?? []).map(Number))
    if (!first.length || !second.length) return second.length - first.length || a.localeCompare(b)
    return first[0] - second[0] || (first[1] ?? first[0]) - (second[1] ?? second[0])
  }
  for (const table of document.querySelectorAll('table[data-sortable], table[data-choose]')) {
    const body = table.tBodies[0]
    const titles = [...table.tHead.rows[table.tHead.rows.length - 1].cells]
    const by = titles.findIndex((title) => title.innerText === table.dataset.choose)
    if (by >= 0) {
      const select = document.createElement('select')
      for (const value of new Set([...body.rows].map((row) => row.cells[by].textContent))) select.add(new Option(value))
      const show = () => { for (const row of body.rows) row.hidden = row.cells[by].textContent !== select.value }
      select.addEventListener('change', show)
      const label = document.createElement('label')
      label.append(`${table.dataset.choose} `, select)
      table.closest('figure').prepend(label)
      show()
      for (const row of [titles[by].parentElement, ...body.rows]) row.cells[by].hidden = true // the choice says it
      const groups = table.querySelector('.groups')
      if (groups) groups.cells[0].colSpan -= 1
    }
    if (!('sortable' in table.dataset)) continue
    titles.forEach((title, column) => title.addEventListener('click', () => {
      const down = title.getAttribute('aria-sort') === 'ascending'
      for (const one of titles) one.removeAttribute('aria-sort')
      title.setAttribute('aria-sort', down ? 'descending' : 'ascending')
      const sorted = [...body.rows].sort((a, b) => order(field(a, column), field(b, column)))
      body.append(...(down ? sorted.reverse() : sorted))
    }))
  }
  window.lab = { series, ready: drawAll() }
})()
