/**
 * Programs whose results say how a Lua behaves. test/diff/lua.test.ts has a real redis-server run the
 * same programs; programs.txt holds what it said.
 */
export const PROGRAMS: readonly string[] = String.raw`
return 1, 1.5, -0.0, 1e15, 1e14, 123456789012345, 2^53, 1e100, 1/3, 100, 1e-5, 0.1
return 0/0, 1/0, -1/0, math.huge, -math.huge
return 12345678901234.5, 0.5, 1e300*1e10, 5e-324, 1.7976931348623157e308
return 7 % 3, -7 % 3, 7 % -3, 5.5 % 2, -5.5 % 2, 2^10, 2^0.5, 7/2
return "10" + 5, "0x10" + 0, " 5 " * 2, 10 .. 20
return tonumber("0x1p4"), tonumber("inf"), tonumber("1e1"), tonumber("1e"), tonumber(""), tonumber(" "), tonumber("0x"), tonumber("1 2"), tonumber("5."), tonumber(".5"), tonumber("-0x10")
return tonumber("10", 2), tonumber("zz", 36), tonumber("8", 8), tonumber("ff", 16), tonumber("0xff", 16), tonumber("-10", 2), tonumber("1.5", 10), tonumber(nil)
return tonumber()
return tonumber("10", 1)
return tonumber("10", 37)
return #"abc", #{1,2,3}, #{1,2,nil,4}, #{nil,nil,3}, #{n=1}, #{1,nil}, #{nil}
local t = {} t[1]=1 t[2]=2 t[4]=4 return #t
local t = {1,2,3,4,5} t[5]=nil t[4]=nil return #t
local t = {} for i=1,10 do t[i]=i end for i=1,5 do t[i]=nil end return #t
local r = {} for k,v in pairs({a=1,b=2,c=3,d=4,e=5}) do r[#r+1]=k..v end return table.concat(r," ")
local r = {} for k,v in pairs({10,20,30,x=1,y=2,[5]=5,[100]=100,[-1]=7,[1.5]=8}) do r[#r+1]=tostring(k)..'='..v end return table.concat(r," ")
local t, r = {}, {} for i=1,40 do t['key'..i]=i end for k,v in pairs(t) do r[#r+1]=k end return table.concat(r," ")
local t, r = {}, {} for i=40,1,-1 do t[i]=i end for k,v in pairs(t) do r[#r+1]=k end return table.concat(r," "), #t
local t, r = {}, {} for i=1,100 do t[(i*37)%101]=i end for k in pairs(t) do r[#r+1]=k end return table.concat(r," "), #t
local t, r = {}, {} for i=1,60 do t[i*i]=i end for i=1,60,3 do t[i*i]=nil end t.x=1 t.y=2 for k in pairs(t) do r[#r+1]=k end return table.concat(r," ")
local t, r = {a=1,b=2,c=3,d=4}, {} t.a=nil t.e=5 t.b=nil t.f=6 for k in pairs(t) do r[#r+1]=k end return table.concat(r," ")
local t, r = {}, {} t[true]=1 t[false]=2 t.x=3 for k in pairs(t) do r[#r+1]=tostring(k) end return table.concat(r," ")
local t = {a=1,b=2,c=3} for k in pairs(t) do t[k]=nil end return next(t)
local r = {} for k in pairs({["a long key that is longer than thirty two bytes, and then some"]=1, ["another long key that is longer than thirty two bytes"]=2, short=3, ['']=4}) do r[#r+1]=k end return table.concat(r,"|")
return next({}), next({5}), type(next), next({}, nil)
return next({}, 1)
return next({1,2,3}, 3)
return select('#'), select('#', nil, nil), select(2, 'a', 'b', 'c'), select(-1, 'a', 'b')
return select(0)
return select(-5, 1)
return unpack({1,2,3}), unpack({1,2,3}, 2), unpack({1,2,3}, 2, 5)
return #{unpack({}, 1, 7000)}
return unpack({}, 1, 8000)
return select('#', unpack({}, 1, 7997)), pcall(unpack, {}, 1, 7998)
local t = {} for i=1,8000 do t[i]=i end return pcall(unpack, t)
local t = {} for i=1,7999 do t[i]=i end return select('#', unpack(t)), (select(-1, unpack(t)))
return select('#', ("x"):rep(8000):byte(1, 7997)), pcall(string.byte, ("x"):rep(8000), 1, 7998)
return unpack({}, 1, 1e9)
return (unpack({1,2,3}))
local a, b, c = (function() return 1, 2 end)() return a, b, c
local function f(...) return select('#', ...), ... end return f(), f(nil), (f(1,2)), f(1,2)
local function f(...) return arg.n, arg[1], #arg end return f('x', 'y')
local function f(...) local a, b = ... return b, a end return f(1, 2)
local function f(a, ...) return {...}, a end return #f(1,2,3)
local t = {f = function(self, x) return self.y + x end, y = 2} return t:f(3), t.f(t, 4)
local s = 'x' return s:rep(3), ('%d'):format(7), #s:upper()
local x = 1 do local x = 2 end return x
local t = {} for i = 1, 3 do t[i] = function() i = i + 1 return i end end return t[1](), t[1](), t[2](), t[3]()
local function counter() local n = 0 return function() n = n + 1 return n end, function() return n end end local a, b = counter() a() a() return b()
local i = 1 local t = {} i, t[i] = i + 1, 20 return i, t[1], t[2]
local a, b = 1, 2 a, b = b, a return a, b
local a = {1} local b = a a[1], a = 5, {9} return a[1], b[1]
local n = 0 for i = 10, 1, -3 do n = n * 100 + i end return n
local n = 0 for i = 1, 0 do n = n + 1 end return n
local n = 0 for i = 1, 3, 0.5 do n = n + i end return n
for i = 'a', 2 do end
for i = 1, {} do end
for i = 1, 2, 'x' do end
local n = 0 for i = '1', '3' do n = n + i end return n
local n = 0 while true do n = n + 1 if n > 5 then break end end return n
local n = 0 repeat local done = n >= 3 n = n + 1 until done return n
return 1 < 2, 'a' < 'b', 'a' < 'B', '' < 'a', 1 == '1', 'Z' <= 'Z', 2 >= 3, 'a\0b' < 'a\0c'
return 1 < 'x'
return {} < {}
return nil > 1
return {} <= 1
return 1 and 2, nil and 1, false or nil, nil or 'x', not nil, not 0, 1 and nil or 3
return not (1 == 2), 1 ~= 2 and 'y' or 'n', (1 > 2) == false
local a = false local b = a == nil and 1 or 2 return b
local a, b = 5 local c = b and a or not a return c
return 2^3^2, -2^2, 2 .. 3 .. 4, 1 .. '', - -3, not not nil, -'2', #'ab' + 1
return 'a' .. {}
return 'a' .. nil
local t = {} return 'x' .. t.y .. 'z'
local t = {} return t.x.y
local t = {} return t.x.y.z
local t = {a={}} t.a.b.c = 1
local t = {} t.x.y = 1
return undefinedglobal
undefinedglobal = 1
undefinedfunction()
local t = {} t.foo()
local t = {} t:bar()
local f f()
local t = {} return t[1][2]
local t = {} local k = 'x' return t[k].y
return ('x').y.z
return (nil).x
return #nil
return -{}
return 1 + nil
return 1 + {}
local x return x + 1
local t = {} return t.a * 2
local t = {} return 2 * t.a
local function f() return x1 + 1 end
local up local function f() return up + 1 end return f()
local up local function f() return up.x end return f()
local up local function f() up() end return f()
return 'abc' + 1
return math.floor(1.5), math.ceil(1.2), math.abs(-3), math.max(1, 5, 3), math.min(4, 2), math.sqrt(16), math.pi
return math.fmod(7, 3), math.fmod(-7, 3), math.mod(7, 3), math.modf(3.7), math.modf(-3.7), math.frexp(10), math.ldexp(0.5, 4)
return math.floor(-1.5), math.ceil(-1.5), math.log(10), math.log10(1000), math.exp(1), math.pow(2, 0.5), math.deg(1), math.rad(180)
return math.sin(1), math.cos(1), math.tan(1), math.asin(1), math.acos(0), math.atan(1), math.atan2(1, -1), math.sinh(1), math.cosh(1), math.tanh(1)
return math.max()
return math.random(0)
return math.random(2, 1)
return math.random(1, 2, 3)
math.randomseed(42) return math.random(), math.random(100), math.random(5, 10)
math.randomseed(-1) return math.random(1000000), math.random(1000000)
return math.modf(1/0), math.frexp(0), math.ldexp(1, 5000), math.fmod(1, 0)
return string.byte('A'), string.byte('abc', 2), string.byte('abc', 1, -1), string.byte('abc', 10), string.byte('')
return string.char(72, 105), string.char(), #string.char(0, 255)
return string.char(256)
return string.char(-1)
return string.sub('hello', 2), string.sub('hello', -3), string.sub('hello', 2, 3), string.sub('hello', -100, 100), string.sub('hello', 4, 2), string.sub('hello', 0), ('x'):sub(2, 5)
return string.rep('ab', 3), string.rep('ab', 0), string.rep('ab', -1), string.rep('', 5), string.rep('x', 2.7)
return string.reverse('abc'), string.lower('ABC123'), string.upper('abc123'), string.len('a\0b')
return ('abc'):find('b'), ('abc'):find('x'), ('a.c'):find('.', 1, true), ('abc'):find('', 2), ('abc'):find('', 10), ('abc'):find('b', -1), ('abc'):find('a', -10)
return ('hello world'):find('(o)( )'), ('hello'):match('l+'), ('key=val'):match('(%w+)=(%w+)'), ('x'):match('y')
return ('  trim  '):match('^%s*(.-)%s*$'), ('2024-01-02'):match('(%d+)-(%d+)-(%d+)'), ('abc'):match('()b()')
return ('THE (quick) fox'):find('%((%a+)%)'), ('f(a(b)c)d'):match('%b()'), ('THE (quick) fox'):gsub('%f[%a]%a+', 'X')
return ('abcabc'):gsub('b', 'X'), ('abcabc'):gsub('b', 'X', 1), ('abc'):gsub('', '-'), ('abc'):gsub('.', {a='1', b=true, c=false}), ('abc'):gsub('%w', '%0%0'), ('hello'):gsub('l', function(c) return nil end)
return ('abc'):gsub('(a)(b)', '%2%1'), ('$name is $age'):gsub('%$(%w+)', {name='Bob', age=5}), ('abc'):gsub('b', '%%'), ('abc'):gsub('b', '%x')
return ('abc'):gsub('b', '%2')
return ('abc'):gsub('b', {b={}})
return ('abc'):gsub('b', function() return {} end)
return ('abc'):gsub('b')
return ('abc'):gsub('(b', 'x')
return ('abc'):gsub('b)', 'x')
return ('abc'):gsub('[b', 'x')
return ('abc'):gsub('%', 'x')
return ('abc'):gsub('%f', 'x')
return ('abc'):find('%b')
return ('abc'):match('%1')
return ('aa'):match('(a)%1'), ('abab'):match('(ab)%1'), ('x-y'):gsub('%-', '+'), ('a]b'):match('[]]'), ('a-b'):match('[a%-]+'), ('a^b'):match('[%^a]+'), ('b^'):match('[b^]+')
return ('\200\201'):gsub('[\128-\255]', '?'), ('a\0b'):match('%z'), ('a\0b'):find('\0'), ('x1Y_'):gsub('%p', '.'), ('\t\n'):gsub('%c', '.'), ('xFg'):gsub('%x', '.'), ('aB'):gsub('%L', '.')
local r = {} for w in ('one two three'):gmatch('%a+') do r[#r+1] = w end return table.concat(r, ',')
local r = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do r[#r+1] = k .. v end return table.concat(r, ',')
local r = {} for w in ('abc'):gmatch('') do r[#r+1] = 'x' end return #r
return ('aaa'):match('a-'), ('aaa'):match('^a-$'), ('aaab'):match('a-b'), ('aaa'):match('a?a?a?a?'), ('aXb'):match('%u'), ('foo.bar'):match('^(.*)%.(.*)$')
return ('a'):rep(50):match('.-b'), ('a,b,,c'):gsub(',', ';'), ('abc'):gsub('^a', 'x'), ('aaa'):gsub('^a', 'x'), ('abc'):match('b$'), ('abc'):match('c$'), ('a$c'):match('a$c')
return string.format('%d %5d|%-5d|%05d|%+d|% d', 42, 42, 42, 42, 42, 42), string.format('%x %X %#x %o', 255, 255, 255, 8)
return string.format('%s %10s|%-10s|%.2s', 'a', 'b', 'c', 'defg'), string.format('%q', 'a"b\\c\n\0d\r'), string.format('%c%c', 72, 105)
return string.format('%f %.2f %e %.3e %g %g %g %g', 1.5, 1.005, 12345.678, 0, 1e20, 0.0001, 100000, 1e-5), string.format('%.14g %.17g %.0f %5.1f|%-8.2f|', 0.1, 0.1, 0.5, 3.14159, 2.5)
return string.format('%5s|%%|%i', 'x', 3.99), string.format('%d', '10'), string.format('%d', -3.7), string.format('%u', 5), string.format('%g', 1/0), string.format('%f', -1/0), string.format('%.3d', 5)
return string.format('%d', 'x')
return string.format('%d')
return string.format('%y', 1)
return string.format('%s')
return string.format('%s', {}) ~= nil
return string.format('%123d', 1)
return string.format('%s %s', 1, 'a\0b'), string.format('%.20f', 0.1), string.format('%.0f', 2.5), string.format('%.0f', 3.5), string.format('%5.3s|', 'abcdef'), string.format('%#o %#x', 0, 0)
return string.format('%s', nil)
return string.format('%s', true)
return string.format('%10.4f|%+.3g|%+e', math.pi, 1234.5, -0.5), string.format('%G', 1e-10), string.format('%E', 12), string.format('%x', -1)
return table.concat({}), table.concat({1, 2, 3}), table.concat({1, 2, 3}, '-'), table.concat({1, 2, 3}, ',', 2), table.concat({1, 2, 3}, ',', 2, 3), table.concat({1,2}, ',', 3)
return table.concat({1, {}, 3})
return table.concat({1, 2}, ',', 1, 3)
local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0) table.insert(t, 6, 9) return table.concat(t, ','), #t
return table.insert({1}, 1, 2, 3)
return table.insert({1})
return table.insert(nil, 1)
local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), #t, table.remove(t), table.remove(t), #t
return table.remove({}), table.remove({1, 2}, 5), table.maxn({1, 2, [10] = 3}), table.getn({1, 2})
local t = {5, 2, 8, 1, 9, 3} table.sort(t) return table.concat(t, ' ')
local t = {5, 2, 8, 1, 9, 3} table.sort(t, function(a, b) return a > b end) return table.concat(t, ' ')
local t = {'b', 'a', 'C', 'B'} table.sort(t) return table.concat(t, ' ')
local t = {} for i = 1, 50 do t[i] = {k = i % 5, i = i} end table.sort(t, function(a, b) return a.k < b.k end) local r = {} for i, v in ipairs(t) do r[i] = v.k .. ':' .. v.i end return table.concat(r, ' ')
local t = {3, 1, 2} table.sort(t, function(a, b) return true end) return table.concat(t, ' ')
local t = {5,3,8,1,4,7,2} local n = 0 table.sort(t, function(a, b) n = n + 1 return a < b end) return n
return table.sort({1, 'a'})
return table.sort({{}, {}})
return table.sort({3, 2, 1}, 5)
return table.setn({}, 1)
local r = {} table.foreach({a = 1}, function(k, v) r[#r+1] = k .. v end) table.foreachi({5, 6}, function(i, v) r[#r+1] = i .. v end) return table.concat(r, ' ')
return table.foreach({1, 2}, function(k, v) if v == 2 then return 'found' end end)
return pcall(error, 'x'), pcall(error, 'x', 0), pcall(error), pcall(error, {}) == false, pcall(error, nil)
return pcall(function() error('msg') end)
return pcall(function() error('msg', 0) end)
return pcall(function() error('msg', 2) end)
local function f() error('deep', 2) end return pcall(function() f() end)
return pcall(function() error({code = 5}) end)
return select(2, pcall(function() error({code = 5}) end)).code
return pcall(function() local x = nil; x() end)
return pcall(pcall, error, 'x')
return pcall(nil)
return pcall(5)
return pcall(string.rep)
return pcall(string.rep, 'x')
return pcall(('x').rep, 'x', -1)
return xpcall(function() error('a') end, function(e) return 'H:' .. e end)
return xpcall(function() return 1, 2 end, function(e) return 'H' end)
return xpcall(function() error('a') end, function(e) error('b') end)
return xpcall(5, function(e) return e end)
return xpcall(function() end)
return assert(1, 2, 3), assert('x')
return assert(false)
return assert(nil, 'message')
return assert(false, {1})
return assert()
return type(nil), type(1), type('x'), type({}), type(print == nil), type(type), type(coroutine.create(function() end))
return type()
return tostring(nil), tostring(true), tostring(12), tostring('x'), tostring(1e20), tostring(-0.0)
return tostring()
return (tostring({})):match('^table: 0x%x+$') ~= nil, (tostring(type)):match('^function: ') ~= nil, tostring(coroutine.create(function() end)):match('^thread: ') ~= nil
return rawequal('a', 'a'), rawequal({}, {}), rawget({5}, 1), rawset({}, 1, 2)[1]
return rawset({}, nil, 1)
local t = {} t[nil] = 1
local t = {} t[0/0] = 1
return ({})[nil], ({})[0/0]
local t = setmetatable({}, {__index = function(t, k) return k .. '!' end}) return t.x, t[1], rawget(t, 'x')
local t = setmetatable({}, {__index = {y = 2}}) return t.y, t.z
local log = {} local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end}) t.a = 5 t.a = 6 return t.a
local t = setmetatable({}, {__call = function(self, a, b) return a + b end}) return t(1, 2), pcall(t, 3, 4)
local mt = {__add = function(a, b) return 'add' end, __sub = function() return 'sub' end, __mul = function() return 'mul' end, __div = function() return 'div' end, __mod = function() return 'mod' end, __pow = function() return 'pow' end, __unm = function() return 'unm' end, __concat = function(a, b) return 'cat' end} local a = setmetatable({}, mt) return a + 1, 1 + a, a - 1, a * 1, a / 1, a % 1, a ^ 1, -a, a .. 'x', 'x' .. a, 1 .. a, a .. a .. a
local mt = {__concat = function(a, b) return (type(a) == 'table' and 'T' or a) .. '+' .. (type(b) == 'table' and 'T' or b) end} local a = setmetatable({}, mt) return 'a' .. 'b' .. a .. 'c' .. 'd'
local mt = {__eq = function() return true end, __lt = function() return true end, __le = function() return false end} local a, b = setmetatable({}, mt), setmetatable({}, mt) return a == b, a ~= b, a < b, a <= b, a > b, a >= b, not (a == b)
local mt = {__lt = function(a, b) return a.v < b.v end} local a, b = setmetatable({v = 1}, mt), setmetatable({v = 2}, mt) return a < b, a <= b, b <= a, a > b
local t = setmetatable({}, {__len = function() return 42 end}) return #t
local t = setmetatable({}, {__tostring = function() return 'custom' end}) return tostring(t)
local t = setmetatable({}, {__metatable = 'locked'}) return getmetatable(t), pcall(setmetatable, t, {})
return setmetatable({}, 5)
return setmetatable({})
return setmetatable(5, {})
return getmetatable('x').__index == string, getmetatable(1), getmetatable({})
local t = setmetatable({}, {__index = function(t, k) error('no ' .. k) end}) return t.foo
local t t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x
local a, b = {}, {} setmetatable(a, {__index = b}) setmetatable(b, {__index = a}) return a.x
local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d + e end) return coroutine.resume(co, 1, 2), coroutine.resume(co, 10), coroutine.resume(co, 3, 4), coroutine.resume(co), coroutine.status(co)
local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d + e end) local r = {} for _, v in ipairs({coroutine.resume(co, 1, 2)}) do r[#r+1] = tostring(v) end for _, v in ipairs({coroutine.resume(co, 10)}) do r[#r+1] = tostring(v) end for _, v in ipairs({coroutine.resume(co, 3, 4)}) do r[#r+1] = tostring(v) end for _, v in ipairs({coroutine.resume(co)}) do r[#r+1] = tostring(v) end return table.concat(r, ' ')
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return gen(), gen(), gen(), gen()
local gen = coroutine.wrap(function() error('inside') end) return gen()
local gen = coroutine.wrap(function() error({}) end) return pcall(gen)
local gen = coroutine.wrap(function() return 1 end) gen() return gen()
local co = coroutine.create(function() error('oops') end) return coroutine.resume(co)
local co = coroutine.create(function() error({1}) end) local ok, e = coroutine.resume(co) return ok, type(e), coroutine.status(co)
return coroutine.yield(1)
local co = coroutine.create(function() return pcall(coroutine.yield, 1) end) return coroutine.resume(co)
local co = coroutine.create(function() return pcall(function() coroutine.yield(1) end) end) return coroutine.resume(co)
local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)
local co co = coroutine.create(function() return coroutine.status(co), coroutine.running() == co end) return coroutine.resume(co)
return coroutine.running(), coroutine.status(coroutine.create(function() end))
return coroutine.create(5)
return coroutine.create(print)
return coroutine.resume(5)
local co = coroutine.wrap(function(...) local t = {...} while true do t = {coroutine.yield(#t, unpack(t))} end end) return co(1, 2, 3), co(), co('x', 'y')
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end local s = 0 for i in gen(10) do s = s + i end return s
local t = setmetatable({}, {__index = function(t, k) coroutine.yield(k) end}) local co = coroutine.create(function() return t.x end) return coroutine.resume(co)
local co = coroutine.create(function() for k in function() return coroutine.yield(1) end do end end) return coroutine.resume(co)
local co = coroutine.create(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield() end) end) return coroutine.resume(co)
return loadstring('return 1 + 1')(), loadstring('return ...')(7), type(loadstring('x ='))
return loadstring('return 1 +')
return loadstring('x =', 'chunk')
return loadstring('x =', '@file')
return loadstring('x =', '=name')
return loadstring('local a\nlocal b\nx y')
return loadstring('error("in chunk")')
return pcall(loadstring('error("in chunk")'))
return pcall(loadstring('error("in chunk")', '@foo'))
return pcall(loadstring('local x = nil; return x.y', 'a very long chunk name that goes on and on and on for more than sixty characters'))
local parts = {'return ', '4', '2'} local i = 0 return load(function() i = i + 1 return parts[i] end)()
return load(function() return {} end)
return load(5)
return loadstring('for')
return loadstring('if x')
return loadstring('if x then')
return loadstring('local function')
return loadstring('return return')
return loadstring('break')
return loadstring('x = }')
return loadstring('x = "abc')
return loadstring('x = "abc\ndef"')
return loadstring('x = [[abc')
return loadstring('--[[abc')
return loadstring('x = [==abc')
return loadstring('x = 3x')
return loadstring('x = 0xg')
return loadstring('x = 1..2')
return loadstring('x = "\\300"')
return loadstring('f(')
return loadstring('f(\n\n')
return loadstring('f{')
return loadstring('x = function() ')
return loadstring('x = function(a,) end')
return loadstring('x = function(...,a) end')
return loadstring('function f() return ... end')
return loadstring('f\n(x)')
return loadstring('a.b:c = 1')
return loadstring('a + 1 = 2')
return loadstring('(a) = 1')
return loadstring('f() = 1')
return loadstring('f')
return loadstring('f.x')
return loadstring('f, g')
return loadstring('local x = = 1')
return loadstring('for i = 1 do end')
return loadstring('for i in x')
return loadstring('for 1 in x do end')
return loadstring('goto x')
return loadstring('x = ~1')
return loadstring('x = @')
return loadstring('x = \1')
return loadstring('x = !a')
return loadstring('repeat x = 1')
return loadstring('while true do\nx = 1\n')
return loadstring('local ' .. ('a,'):rep(200) .. 'b')
return loadstring('x = ' .. ('('):rep(300) .. '1' .. (')'):rep(300))
return loadstring('local a = 1 ' .. ('do '):rep(250) .. ('end '):rep(250))
return loadstring('return 0x10, 1e2, .5, 5., 0xA')()
return loadstring("return 'a\\65\\n\\x\\'', [[\nx]], [==[a]]b]==], '\\\nz'")()
return loadstring('-- comment\nreturn --[[ long\n]] 5 --[==[ x ]==]')()
return loadstring('return {1,2;3,[5]=4,x=5,f()}')
local t = {1, 2, (function() return 3, 4, 5 end)()} return #t
local t = {(function() return 3, 4, 5 end)(), 1} return #t
local t = {(function() return 3, 4, 5 end)(), n = 1} return #t
local t = {n = 1, (function() return 3, 4, 5 end)()} return #t
local t = {[1] = 'a', 'b'} return t[1]
local function f() return 1 + f() end return f()
local function f(n) if n == 0 then return 'done' end return f(n - 1) end return f(50000)
local n = 0 local function f() n = n + 1 f() end pcall(f) return n
local n = 0 local function f() n = n + 1 return pcall(f) end f() return n
local n = 0 local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) n = n + 1 return t[k] end pcall(function() return t.x end) return n
local function f() local ok, e = pcall(f) return e end return f()
local s = string.rep('x', 100) return #(s .. s .. s), #table.concat({s, s}, ',')
local t = {} for i = 1, 300 do t[i] = i end return #t, t[300], select('#', unpack(t))
local t = {} t[1.0] = 'a' t['1'] = 'b' return t[1], #t
local t = {10, 20, 30} local r = {} for i, v in ipairs(t) do r[#r+1] = i * v end return table.concat(r, ' ')
local t = {1, 2, nil, 4} local n = 0 for i in ipairs(t) do n = n + 1 end return n
for k, v in nil do end
for k, v in 5 do end
for k, v in pairs(nil) do end
for k, v in ipairs() do end
local function iter(t, i) i = i + 1 if t[i] then return i, t[i] end end local r = {} for i, v in iter, {'a', 'b'}, 0 do r[#r+1] = i .. v end return table.concat(r)
return collectgarbage('count') > 0, collectgarbage(), collectgarbage('collect')
return _G._G == _G, _VERSION, _G.string == string
string.x = 1
_G.x = 1
rawset(_G, 'x', 1)
setmetatable(_G, nil)
table.insert(_G, 1)
getmetatable('').__index = nil
return string.gsub('hello world', 'o', '0', 1)
local a <const> = 1
return ("x"):bad()
return ("%s"):format("a"), ("abc"):len()
local t = {} t.a, t.b, t.c = 1, 2 return t.a, t.b, t.c
local a = {f = {g = {}}} function a.f.g.h(x) return x end function a.f.g:m() return self == a.f.g end return a.f.g.h(5), a.f.g:m()
local function f() return end return f(), (f()), select('#', f()), select('#', (f()))
return (function(...) return select('#', ...) end)(nil, nil, nil)
local s = 0 for i = 1, 10 do if i % 2 == 0 then s = s + i elseif i > 7 then s = s + 100 else s = s - 1 end end return s
local r = {} for i = 1, 3 do for j = 1, 3 do if j == 2 then break end r[#r+1] = i * 10 + j end end return table.concat(r, ' ')
local x = 5 local function f() x = x + 1 return x end return f() + f() * f(), x
local t = {} for i = 1, 5 do local x = i t[i] = function() x = x + 1 return x end end return t[1](), t[1](), t[5]()
local t = {} local i = 1 while i <= 3 do local j = i t[i] = function() return j end i = i + 1 end return t[1](), t[2](), t[3]()
local a = 1 local f = function() return a end a = 2 return f()
return 5 // 2
return tostring(2^63), 2^31, -2^31, 1e15, 1e16, 123456.789e3
return 0x7fffffff, 0xffffffff, 1e308 * 10
return bit.tohex(255, -4), pcall(bit.tohex, nil, 'x')
return string.format('%5.2f%%', 99.555), ('x'):rep(3, ',')
return #string.format('%99d', 1)
return tostring(1e15 + 0.5), tostring(0.1 + 0.2), 3.0, 1e3
return math.huge // 1
return 1 --[[x]] + --[==[y]==] 2
return ('abc'):gsub('b', '%'), ('a.b'):find('()%1'), ('aa'):match('(a)%1')
return string.format('%5c|%-5c|%c|', 0, 0, 0), string.format('%x %u', 2^64, 1e300), string.format('%#.0f %#.0e %#5.3G', 255, 255, 255)
return tonumber('0x1f', 36), tonumber('0xz', 36), tonumber('0x1f', 16), tonumber('0x', 16), tonumber('0x', 34)
return math.modf(-1), math.modf(-1/0), math.modf(-0.0), math.modf(-1.5), select(2, math.modf(-1)), select(2, math.modf(-1/0))
return "a\
b", 'tab\tq', "\065\10\0661"
`
  .trim()
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('b",'))

/** One line before the program: the values it returns, or its error, as one text. */
export function wrapped(program: string): string {
  return `local function main(...) ${program}
end local r = {pcall(main)} local n = 0 for k in pairs(r) do if k > n then n = k end end local s = {} for i = 1, n do local v = r[i] if type(v) == 'table' then s[i] = 'table' elseif type(v) == 'function' then s[i] = 'function' else s[i] = type(v) == 'string' and '"' .. v .. '"' or tostring(v) end end return table.concat(s, ' ')`
}
